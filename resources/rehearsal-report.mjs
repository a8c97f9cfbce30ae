const texts = '@keyholder/node-red-alarm-panel/keyholder:panel'

const say = (part, values) => RED._(`${texts}.report.${part}`, values)

const quoted = (text) => say('quoted', { text })

const secondsOf = (seconds) => new Intl.NumberFormat(RED.i18n.lang()).format(seconds)

function nameOf({ name, type, tab }) {
  return tab ? say('node', { name: quoted(name || type), tab: quoted(tab) }) : quoted(name || type)
}

/** Returns the name of a way out: what it is for a person, and the name of its node. */
export function nameOfWay({ kind, name, type }) {
  return kind === 'other' ? name || type : say(`way.${kind}`, { name: name || type })
}

/** Returns an element with a class, and with children or a text. */
function create(tag, className, ...children) {
  const element = document.createElement(tag)
  if (className) element.className = className
  element.append(...children)
  return element
}

function createWay(way, scene) {
  const { state, seconds, text } = way
  const after = seconds !== null && say(`after.${scene}`, { seconds: secondsOf(seconds) })
  const part = { failed: 'wayFailed', missed: 'wayMissed' }[state] ?? 'told'
  const item = create('li', state, create('strong', '', say(part, { way: nameOfWay(way), after })))
  if (text) item.append(create('q', '', text))
  return item
}

/** Returns the sentence about what a report comes to. */
export function describeOutcome({ outcome, findings }) {
  return say(`outcome.${outcome}`, { count: findings.length })
}

/** Tells if nobody was told. */
export function isUntold({ outcome }) {
  return outcome === 'untold' || outcome === 'failed'
}

function createWays(report, scene) {
  const { ways } = report
  const section = create('section', '', create('h2', '', say('ways')))
  const disabled = ways.filter(({ state }) => state === 'disabled')
  if (isUntold(report)) section.append(create('p', 'bad', describeOutcome(report)))
  const items = ways.filter(({ state }) => state !== 'disabled').map((way) => createWay(way, scene))
  if (items.length > 0) section.append(create('ul', '', ...items))
  if (disabled.length > 0) {
    const names = disabled.map(nameOfWay).join(', ')
    section.append(create('p', 'quiet', say('disabled', { ways: names })))
  }
  if (!isUntold(report)) section.append(create('p', 'quiet', say('polls')))
  return section
}

function createFault({ kind, node, error = '', count, seconds }) {
  const values = { node: nameOf(node), error: error.replace(/\.$/, ''), count, seconds }
  const fault = create('strong', '', say(`fault.${kind}`, values))
  return create('li', 'fault', fault, create('p', '', say(`remedy.${kind}`)))
}

/** Returns the part about faults; none if nobody was told and no fault is known. */
function createFaults(report) {
  const { outcome, findings, caught } = report
  if (isUntold(report) && findings.length + caught.length === 0) return ''
  const section = create('section', '', create('h2', '', say('faults')))
  if (outcome === 'good') section.append(create('p', 'good', describeOutcome(report)))
  if (findings.length > 0) section.append(create('ul', '', ...findings.map(createFault)))
  const errors = new Set(
    caught.map((one) => say('caught', { node: nameOf(one.catch), source: nameOf(one.source) })),
  )
  if (errors.size > 0) section.append(create('ul', '', ...[...errors].map((text) => create('li', '', text))))
  return section
}

function createRow({ name, type, state, first }) {
  const header = create('th', '', name || type)
  header.scope = 'row'
  const time = first === null ? '' : `${secondsOf(first)} s`
  return create('tr', '', header, create('td', '', say(`state.${state}`)), create('td', '', time))
}

function createTable(nodes) {
  const columns = ['node', 'state', 'first'].map((column) => {
    const header = create('th', '', say(`column.${column}`))
    header.scope = 'col'
    return header
  })
  const head = create('thead', '', create('tr', '', ...columns))
  return create('table', '', head, create('tbody', '', ...nodes.map(createRow)))
}

function createNodes({ nodes }) {
  const tabs = [...new Set(nodes.map(({ tab }) => tab))]
  const parts = tabs.flatMap((tab) => [
    create('h3', '', tab),
    createTable(nodes.filter((node) => node.tab === tab)),
  ])
  return create('details', '', create('summary', '', say('nodes')), ...parts)
}

/**
 * Makes a page of the report of a rehearsal, and returns its address. The browser keeps the page until the next one is made, also
 * when the editor is closed.
 * @param title of the page
 * @param when a sentence about the rehearsal
 * @param found the rehearsal, as the route `rehearsal` answers it
 */
export function createReportPage(title, when, { scene, faster, report }) {
  const page = document.implementation.createHTMLDocument(title)
  page.documentElement.lang = RED.i18n.lang()
  const viewport = create('meta')
  Object.assign(viewport, { name: 'viewport', content: 'width=device-width, initial-scale=1' })
  const style = create('link')
  Object.assign(style, { rel: 'stylesheet', href: new URL('./rehearsal-report.css', import.meta.url).href })
  page.head.append(viewport, style)
  page.body.append(
    create('h1', '', title),
    create('p', 'quiet', when),
    faster ? create('p', 'quiet', say('faster')) : '',
    createWays(report, scene),
    createFaults(report),
    createNodes(report),
  )
  const html = `<!doctype html>${page.documentElement.outerHTML}`
  const address = new URL('./rehearsal-report.html', import.meta.url)
  localStorage.setItem(`keyholder-rehearsal ${address.pathname}`, html)
  return address.href
}
