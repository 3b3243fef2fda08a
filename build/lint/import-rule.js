import path from 'node:path';

/**
 * An ESLint rule about what a file may import, types included.
 * @param {string} description
 * @param {(from: string, specifier: string) => string | undefined} problemOf returns the problem with an import; the
 *   file is given relative to the repository, the specifier as written
 */
export function importRule(description, problemOf) {
  return {
    meta: { type: 'problem', docs: { description }, schema: [] },
    create(context) {
      const from = path.relative(context.cwd, context.filename).split(path.sep).join('/');
      const visit = ({ source }) => {
        if (source == null || typeof source.value !== 'string') return;
        const message = problemOf(from, source.value);
        if (message !== undefined) context.report({ node: source, message });
      };
      return {
        ImportDeclaration: visit,
        ImportExpression: visit,
        ExportNamedDeclaration: visit,
        ExportAllDeclaration: visit,
      };
    },
  };
}
