/**
 * ESLint rule: JavaScript's regular expressions are for patterns that stand in
 * our code. One that comes from anywhere else can keep the engine, and the whole
 * program with it, busy for ever: `src-main/base/user-pattern.ts` compiles those.
 * What is put together from constants is allowed by a comment that says so:
 * `// eslint-disable-next-line armature/user-patterns -- reason`.
 */

/** String methods that compile their argument to a regular expression. */
const COMPILING_METHODS = new Set(['match', 'matchAll', 'search']);

function isRegExp(node) {
  if (node.type === 'Identifier') return node.name === 'RegExp';
  return (
    node.type === 'MemberExpression' &&
    node.property.type === (node.computed ? 'Literal' : 'Identifier') &&
    (node.property.name ?? node.property.value) === 'RegExp'
  );
}

/** Whether an expression is a literal: a string or regular expression without interpolation. */
function isWrittenOut(node) {
  if (node.type === 'Literal') return true;
  if (node.type === 'TemplateLiteral') return node.expressions.length === 0;
  if (node.type === 'TaggedTemplateExpression') return node.quasi.expressions.length === 0;
  if (node.type === 'BinaryExpression') return isWrittenOut(node.left) && isWrittenOut(node.right);
  return false;
}

export default {
  meta: {
    type: 'problem',
    docs: { description: 'no JavaScript regular expression from a variable' },
    messages: {
      variable:
        'A pattern from a variable may never end: compile it with compileUserPattern of src-main/base/user-pattern.ts.',
    },
    schema: [],
  },
  create(context) {
    const services = context.sourceCode.parserServices;
    const checker = services?.program?.getTypeChecker();
    const isText = (node) => {
      const type = checker?.getTypeAtLocation(services.esTreeNodeToTSNodeMap.get(node));
      return type !== undefined && checker.typeToString(checker.getBaseTypeOfLiteralType(type)) === 'string';
    };
    const checkConstructed = (node) => {
      const [pattern] = node.arguments;
      if (!isRegExp(node.callee) || pattern === undefined || isWrittenOut(pattern)) return;
      context.report({ node, messageId: 'variable' });
    };
    return {
      NewExpression: checkConstructed,
      CallExpression(node) {
        checkConstructed(node);
        const { callee } = node;
        const [pattern] = node.arguments;
        if (callee.type !== 'MemberExpression' || callee.computed || pattern === undefined) return;
        if (!COMPILING_METHODS.has(callee.property.name) || isWrittenOut(pattern)) return;
        if (isText(callee.object) && isText(pattern)) context.report({ node, messageId: 'variable' });
      },
    };
  },
};
