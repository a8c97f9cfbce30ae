import { createHash } from 'node:crypto'
import { tokenizer } from 'acorn'
import { labelOf, widthOf } from './node-width.js'

/**
 * A table of texts: `texts` are names, labels, descriptions and comments in code; `literals` stand in quotes in code; `words`
 * stand there too and are no texts. `expressions` are parts of JSONata expressions: the sentences of errors are in English, so that
 * another language puts together its own one from the code.
 *
 * @typedef {{ locale: string, texts: Record<string, string>, literals: Record<string, string>, words: string[],
 *   expressions: Record<string, string> }} Table
 */

/**
 * Returns the nodes of an example in the language of a table. The ids are others, except those of the account and the panel,
 * so that an editor can have the examples of both languages.
 */
export function translateExample(nodes, table) {
  const ids = nodes.filter((node) => !isShared(node)).map(({ id }) => id)
  const translated = nodes.map((node) => placeNode(translateNode(node, table), node))
  return JSON.parse(
    JSON.stringify(translated).replace(/[0-9a-f]{16}/g, (id) =>
      ids.includes(id) ? createHash('sha256').update(`${table.locale} ${id}`).digest('hex').slice(0, 16) : id,
    ),
  )
}

/** Returns the texts of examples that a table lacks, and its entries that no example uses. */
export function compareTexts(examples, { texts, literals, words, expressions, ...others }) {
  const missing = new Set()
  const unused = new Set([texts, literals, expressions].flatMap(Object.keys).concat(words))
  const asked = (known) => (key) => {
    unused.delete(key)
    if (!known.includes(key)) missing.add(key)
    return known.includes(key) ? undefined : key
  }
  const watched = (table, known) =>
    new Proxy(table, { get: (target, key) => asked(known)(key) ?? target[key] })
  const table = {
    ...others,
    texts: watched(texts, Object.keys(texts)),
    literals: watched(literals, [...Object.keys(literals), ...words]),
    expressions: watched(expressions, Object.keys(expressions)),
  }
  for (const nodes of examples) for (const node of nodes) translateNode(node, table)
  return { missing: [...missing], unused: [...unused] }
}

/** True for the account and the panel, which all examples share. */
const isShared = ({ type }) => type === 'keyholder-account' || type === 'keyholder-panel'

function translateNode(node, table) {
  if (node.type === 'keyholder-account') return { ...node, locale: table.locale }
  const after = { ...node }
  for (const field of ['name', 'label']) if (node[field]) after[field] = translate(node[field], table.texts)
  if (node.info)
    after.info = node.info
      .split('\n\n')
      .map((part) => translate(part, table.texts))
      .join('\n\n')
  if (node.type === 'function') after.func = translateScript(node.func, table)
  if (node.type === 'change')
    after.rules = node.rules.map((rule) => ({
      ...rule,
      ...('to' in rule && { to: translateValue(rule.to, rule.tot, table) }),
    }))
  if (node.type === 'inject') {
    const value = translateValue(node.payload, node.payloadType, table)
    if (value !== undefined) after.payload = value
    after.topic = translateValue(node.topic, 'str', table)
  }
  if (node.type.startsWith('subflow:'))
    after.env = node.env.map((one) => ({ ...one, value: translateValue(one.value, one.type, table) }))
  return after
}

/** Pixels from the left edge of the workspace to the first nodes. */
const leftmost = 20

/** Pixels from the left edge of the workspace to a node whose button stands left of it. */
const leftmostWithButton = 40

/** Returns a translated node beside the nodes that it had: a button keeps its right edge, other nodes their left one. */
function placeNode(node, before) {
  if (node.x === undefined || node.type === 'junction') return node
  const wider = (widthOf(node, labelOf(node, 'de')) - widthOf(before, labelOf(before, 'en-US'))) / 2
  const x = node.type === 'inject' ? node.x - wider : node.x + wider
  const least = node.type === 'inject' ? leftmostWithButton : leftmost
  return { ...node, x: Math.max(x, least + widthOf(node, labelOf(node, 'de')) / 2) }
}

/** Returns the translation of a text without line breaks between paragraphs; sentences that begin it may be entries of their own. */
function translate(text, texts) {
  if (!/[a-z]/i.test(text)) return text
  const whole = Object.keys(texts).find((key) => text.startsWith(`${key} `))
  return whole === undefined || Object.hasOwn(texts, text)
    ? texts[text]
    : `${texts[whole]} ${translate(text.slice(whole.length + 1), texts)}`
}

/** Returns the translation of a value in a dialog: a text, or an expression with texts in double quotes. */
function translateValue(value, type, { literals, expressions }) {
  if (type === 'str') return /[a-z]/i.test(value) ? (literals[value] ?? value) : value
  if (type !== 'jsonata' && type !== 'json') return value
  const quoted = /"((?:[^"\\]|\\.)*)"/g
  const translated = value.replace(quoted, (whole, text) =>
    /[a-z]/i.test(text) ? `"${literals[text] ?? text}"` : whole,
  )
  return Object.keys(expressions)
    .filter((part) => translated.includes(part))
    .reduce((text, part) => text.replaceAll(part, () => expressions[part]), translated)
}

/** Returns a function with other comments and other texts in quotes. */
function translateScript(script, { texts, literals }) {
  const pieces = []
  const add = (start, end, text, table) => {
    // The begin of a comment or a quote stays.
    const from = script.slice(start, end).indexOf(text) + start
    if (/[a-z]/i.test(text)) pieces.push({ from, to: from + text.length, text: table[text] ?? text })
  }
  const onComment = (_isBlock, text, start, end) => add(start, end, text.replace(/^[*\s]+|\s+$/g, ''), texts)
  for (const { type, value, start, end } of tokenizer(script, { ecmaVersion: 'latest', onComment })) {
    if (type.label === 'string' || type.label === 'template') add(start, end, value, literals)
  }
  return pieces
    .toSorted((one, other) => other.from - one.from)
    .reduce((code, { from, to, text }) => code.slice(0, from) + text + code.slice(to), script)
}
