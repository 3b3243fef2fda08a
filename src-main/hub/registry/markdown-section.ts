/**
 * The section of a Markdown text that an anchor names, as code forges make
 * anchors of headings; the whole text where the anchor is '' or names none.
 */
export function markdownSection(text: string, anchor: string): string {
  if (anchor === '') return text;
  const lines = text.split('\n');
  let level = 0;
  let begin = -1;
  let isInCode = false;
  for (const [index, line] of lines.entries()) {
    if (/^\s*(```|~~~)/.test(line)) isInCode = !isInCode;
    const heading = isInCode ? null : /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    if (heading === null) continue;
    const [, marks = '', words = ''] = heading;
    if (begin !== -1 && marks.length <= level) return lines.slice(begin, index).join('\n').trimEnd();
    if (begin === -1 && anchorOf(words) === anchor.toLowerCase()) [begin, level] = [index, marks.length];
  }
  return begin === -1 ? text : lines.slice(begin).join('\n').trimEnd();
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}
