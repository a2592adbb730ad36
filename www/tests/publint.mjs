// What is looked for in packages before they are published.

/** What publint has to say of a package that was packed and unpacked into this folder; nothing is too small to be said. */
export async function lintPackage(folder) {
  const { publint } = await import('publint');
  const { formatMessage } = await import('publint/utils');
  const { messages, pkg } = await publint({ pkgDir: folder, pack: false, strict: true });
  return messages.map((message) => `${message.type}: ${formatMessage(message, pkg, { color: false })}`);
}
