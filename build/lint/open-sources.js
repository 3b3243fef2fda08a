/**
 * ESLint rule: comments and test titles give a reason, or cite a source that every reader of the repository can open.
 * Numbers of sections in documents outside the repository say nothing.
 */
const CLOSED =
  /\b(?:rulings?|complaints?|behaviour(?: point)?|contract|do better) \d|\b[BC]\d{1,2}\.\d{1,2}\b|\bwire contract\b|\b(?:spec|rulings|behaviour|wire-contract)\.md\b|\bspec,? (?:rows?|table) /i;

export default {
  meta: {
    type: 'problem',
    docs: { description: 'no number of a point in a paper that is not in the repository' },
    messages: { closed: '"{{cited}}" cannot be looked up here: say the reason itself, or link a public source.' },
    schema: [],
  },
  create(context) {
    const check = (node, text) => {
      const [cited] = CLOSED.exec(text) ?? [];
      if (cited !== undefined) context.report({ node, messageId: 'closed', data: { cited } });
    };
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) check(comment, comment.value);
      },
      Literal(node) {
        if (typeof node.value === 'string') check(node, node.value);
      },
      TemplateElement(node) {
        check(node, node.value.raw);
      },
    };
  },
};
