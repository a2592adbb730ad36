// Why a command failed, in one sentence with what to do, where its output shows a cause that has nothing to do with the project.

const CAUSES = [
  [
    /could not resolve host|couldn't resolve host|failed to download|could not connect|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ETIMEDOUT/i,
    (command) =>
      `${command} could not reach its registry. Connect to the network and type the same again: what was downloaded is kept`,
  ],
  [
    /no space left on device|ENOSPC/i,
    (command) => `${command} found the disk full. Free 6 GB (12 GB for npm test) and type the same again`,
  ],
  [
    /read-only file system|permission denied|EROFS|EACCES/i,
    (command) => {
      const folder = { cargo: 'CARGO_HOME', npm: 'npm_config_cache' }[command];
      const way = folder ? `Set ${folder} to a folder that you may write to` : 'Change its owner or its permissions';
      return `${command} may not write to a folder, which is named above. ${way}, and type the same again`;
    },
  ],
];

/** Those that download and write; what tests print says nothing about the machine. */
const ASKED = /^(cargo (build|rustc|install|clippy|\+)|npm ci)/;

/** The sentence, or `null` where the output shows none of these causes. */
export function cause([command, ...args], output) {
  if (!ASKED.test(`${command} ${args[0]}`)) return null;
  for (const [sign, sentence] of CAUSES) if (sign.test(output)) return sentence(command);
  return null;
}
