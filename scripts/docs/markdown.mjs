// Markdown, and programs with a head of Markdown, as HTML with its headings and the text that is searched.
import { posix } from 'node:path';
import MarkdownIt from 'markdown-it';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import rust from 'highlight.js/lib/languages/rust';

for (const [name, language] of Object.entries({ bash, javascript, json, rust })) hljs.registerLanguage(name, language);
const LANGUAGES = { sh: 'bash', console: 'bash', js: 'javascript', ts: 'javascript', json: 'json', rust: 'rust' };

/** A heading's anchor, as GitHub makes it. */
export const anchor = (title) =>
  title
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s/g, '-');

/**
 * Renders a source; a program has the title `name`. `link(path)` says where a file of the repository, or a picture, is to be found from this page.
 * Resolves to the HTML, the title, the headings of the second level and the sections that can be searched.
 */
export function render(source, name, text, link) {
  const markdown = source.endsWith('.rs') ? programAsMarkdown(name, text) : text;
  const md = new MarkdownIt({ html: true, highlight });
  const tokens = md.parse(markdown, {});
  const sections = [{ title: '', anchor: '', text: '' }];
  const headings = [];
  const used = new Map();
  tokens.forEach((token, k) => {
    if (token.type === 'heading_open') {
      const title = plain(tokens[k + 1]);
      const seen = used.get(title) ?? 0;
      used.set(title, seen + 1);
      const id = seen ? `${anchor(title)}-${seen}` : anchor(title);
      token.attrSet('id', id);
      if (token.tag === 'h2') headings.push({ title, id });
      sections.push({ title, anchor: id, text: '' });
    } else if (token.type === 'inline' && tokens[k - 1]?.type !== 'heading_open') {
      sections.at(-1).text += `${plain(token)}\n`;
    } else if (token.type === 'fence' || token.type === 'code_block') {
      sections.at(-1).text += `${token.content}\n`;
    }
    for (const child of token.children ?? []) {
      const name = { link_open: 'href', image: 'src' }[child.type];
      if (name) child.attrSet(name, resolve(source, child.attrGet(name), link));
    }
  });
  // What is wider than the page scrolls by itself, by keys too.
  const html = md.renderer
    .render(tokens, md.options, {})
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    // The corner of a table is not a heading.
    .replaceAll('<th></th>', '<td></td>');
  const title = sections.find((section) => section.title)?.title ?? source;
  return { html, title, headings, sections: sections.filter((section) => section.title || section.text.trim()) };
}

/** The head of a program as text, and the program below it. */
function programAsMarkdown(name, text) {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//!'));
  const head = lines
    .slice(0, end)
    .map((line) => line.replace(/^\/\/! ?/, ''))
    .join('\n');
  const rest = lines
    .slice(end)
    .join('\n')
    .replace(/^#!\[allow\([^\]]*\)\]\n/m, '')
    .replaceAll('pub(crate) fn main', 'fn main')
    .trim();
  return `# ${name}\n\n${head}\n\n\`\`\`rust\n${rest}\n\`\`\`\n`;
}

function highlight(code, info) {
  const language = LANGUAGES[info.split(/[\s,]/)[0]];
  // Lines that only the tests of the documentation need.
  const shown = language === 'rust' ? code.replace(/^# .*\n/gm, '') : code;
  return language ? hljs.highlight(shown, { language }).value : '';
}

function plain(token) {
  return (token.children ?? []).map((child) => (child.type === 'softbreak' ? ' ' : child.content)).join('');
}

function resolve(source, href, link) {
  if (/^[a-z]+:|^#/.test(href)) return href;
  const [path, fragment] = href.split('#');
  const target = link(posix.join(posix.dirname(source), path));
  return fragment ? `${target}#${fragment}` : target;
}
