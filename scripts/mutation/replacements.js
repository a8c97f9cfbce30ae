const operators = new Map(
  Object.entries({
    '<': ['<=', '>='],
    '<=': ['<', '>'],
    '>': ['>=', '<='],
    '>=': ['>', '<'],
    '===': ['!=='],
    '!==': ['==='],
    '==': ['!='],
    '!=': ['=='],
    '+': ['-'],
    '-': ['+'],
    '*': ['/'],
    '/': ['*'],
    '%': ['*'],
    '**': ['*'],
    '&': ['|'],
    '|': ['&'],
    '^': ['&'],
    '<<': ['>>'],
    '>>': ['<<'],
    '>>>': ['>>'],
    '+=': ['-='],
    '-=': ['+='],
    '*=': ['/='],
    '??=': ['='],
    '||=': ['='],
    '&&=': ['='],
  }),
)
const equality = new Set(['===', '!==', '==', '!='])
const methods = new Map(Object.entries({ min: 'max', max: 'min', some: 'every', every: 'some' }))
/** Methods whose call can be replaced by the object that they are called on. */
const removableMethods = new Set(
  'filter flat reverse slice sort toSorted toReversed trim toLowerCase toUpperCase'.split(' '),
)

/**
 * Lists the faults that can replace parts of a syntax node.
 * @param {import('acorn').AnyNode} node
 * @param {import('acorn').AnyNode | undefined} parent
 * @param {string} source
 * @returns {[{ start: number, end: number }, string][]} each part, and the text that replaces it
 */
export function listReplacements(node, parent, source) {
  const text = ({ start, end }) => source.slice(start, end)
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return node.test.type === 'Literal' ? [] : ['true', 'false'].map((fixed) => [node.test, fixed])
    case 'WhileStatement':
    case 'ForStatement':
      // An endless loop would only cost time.
      return node.test && node.test.type !== 'Literal' ? [[node.test, 'false']] : []
    case 'BinaryExpression':
      return changeOperator(node, parent, source)
    case 'AssignmentExpression':
      return changeOperator(node, parent, source)
    case 'LogicalExpression':
      return [node.left, node.right].map((operand) => [node, `(${text(operand)})`])
    case 'UnaryExpression':
      if (isFixed(node, parent) || !['!', '-'].includes(node.operator)) return []
      return [[node, `(${text(node.argument)})`]]
    case 'UpdateExpression':
      if (parent.type === 'ForStatement') return []
      return [[node, text(node).replace(/\+\+|--/, (sign) => (sign === '++' ? '--' : '++'))]]
    case 'ExpressionStatement':
      return node.directive || node.expression.callee?.type === 'Super' ? [] : [[node, ';']]
    case 'ThrowStatement':
      return [[node, ';']]
    case 'ReturnStatement':
      return node.argument && !isPlain(node.argument) ? [[node.argument, 'undefined']] : []
    case 'ArrowFunctionExpression':
      return node.expression && !isPlain(node.body) ? [[node.body, 'undefined']] : []
    case 'CallExpression':
      return changeCall(node, text)
    case 'MemberExpression':
      return node.optional ? [[node, text(node.object) + withoutQuestionMark(source, node)]] : []
    case 'TemplateLiteral':
      return parent.type === 'TaggedTemplateExpression' ? [] : [[node, '``']]
    case 'Literal':
      return changeLiteral(node, parent)
    default:
      return []
  }
}

function changeOperator(node, parent, source) {
  const { left, right, operator } = node
  const isText = [left, right].some(
    ({ type, value }) => type === 'TemplateLiteral' || typeof value === 'string',
  )
  if (operator === '+' && isText) return []
  const [boundary, opposite] = operators.get(operator) ?? []
  // A condition is already fixed to true and to false; its negation would show nothing more.
  const changed = isFixed(node, parent)
    ? [equality.has(operator) ? undefined : boundary]
    : [boundary, opposite]
  const at = source.indexOf(operator, left.end)
  const rest = source.slice(at + operator.length, node.end)
  return changed.filter(Boolean).map((other) => [node, source.slice(node.start, at) + other + rest])
}

function changeCall(node, text) {
  const { callee, optional } = node
  if (optional) return [[node, text(node).replace(`${text(callee)}?.`, () => text(callee))]]
  if (callee.type !== 'MemberExpression' || callee.computed) return []
  const { name } = callee.property
  if (methods.has(name)) return [[callee, text(callee).replace(/\w+$/, methods.get(name))]]
  return removableMethods.has(name) ? [[node, text(callee.object)]] : []
}

function changeLiteral(node, parent) {
  const { value } = node
  if (typeof value === 'number') return [[node, String(value + 1)]]
  if (isName(node, parent)) return []
  if (typeof value === 'boolean') return [[node, String(!value)]]
  if (typeof value !== 'string') return []
  return [[node, value === '' ? "'mutant'" : "''"]]
}

/** Tells if a literal is only a name, or is compared with a value: then the comparison is mutated. */
function isName(node, { type, key, computed, source, operator }) {
  return (
    source === node ||
    (key === node && !computed) ||
    type === 'ImportAttribute' ||
    type === 'ExpressionStatement' ||
    (type === 'BinaryExpression' && equality.has(operator))
  )
}

/** Tells if a value decides a branch, which is fixed to true and to false anyway. */
function isFixed(node, parent) {
  return parent?.test === node && ['IfStatement', 'ConditionalExpression'].includes(parent.type)
}

/** Tells if the mutant of a value itself shows as much as its removal. */
function isPlain({ type, value, name }) {
  return (type === 'Literal' && typeof value === 'boolean') || name === 'undefined'
}

/** Returns the rest of an optional access, without its question mark. */
function withoutQuestionMark(source, { object, end }) {
  const rest = source.slice(object.end, end).trimStart()
  return rest.startsWith('?.[') ? rest.slice(2) : rest.slice(1)
}
