import { configDialogs, entered } from '../pages/dialog.mjs'

export const isOnService = (node) => entered(node, 'source', 'node-config-input') !== 'demo'

const isLoopback = (host) => host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)

const address = (text) => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

const isTimeZone = (text) => {
  try {
    return /^[A-Za-z]/.test(text) && Boolean(new Intl.DateTimeFormat('en', { timeZone: text }))
  } catch {
    return false
  }
}

// Returns an address as it is meant: people leave the scheme out, or paste the page on which they have checked the server.
const completed = (text) => {
  const typed = text.trim().replace(/\/rest_api\/version\/?$/i, '')
  const host = /^[\w.-]+\.[\w.-]*[a-z\d](:\d+)?(\/|$)/i.exec(typed)
  return host ? `https://${typed}` : typed
}

// crypto.randomUUID is missing where the editor is not served over https.
const uuid = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6] & 0x0f) | 0x40
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

// Adds the panels that are ticked in the open dialog.
let addPanels = () => {}
// Without it, statuses are in the language of the server.
import('./resources/@keyholder/node-red-alarm-panel/status-texts.mjs').then(
  ({ translateStatuses }) => translateStatuses(),
  () => {},
)
// Without it, the search finds only what the labels say.
import('./resources/@keyholder/node-red-alarm-panel/palette-search.mjs').then(
  ({ addSearchWords }) => addSearchWords(),
  () => {},
)
// Without it, only the dialog of the account opens the console of a demo.
import('./resources/@keyholder/node-red-alarm-panel/demo-console.mjs').then(
  ({ addConsoleLinks }) => addConsoleLinks(),
  () => {},
)

export const rules = {
  url(node, value) {
    if (!value) return node._('account.invalid.urlMissing')
    const url = address(value)
    if (!url || !/^https?:$/.test(url.protocol)) return false
    if (url.username || url.password || url.search || url.hash) return node._('account.invalid.urlParts')
    return url.protocol === 'https:' || isLoopback(url.hostname) || node._('account.invalid.urlPlain')
  },
  apiVersion: (_node, value) => !value || (/^\d+(\.\d+)?$/.test(value) && Number(value) >= 8),
  locale: (_node, value) => !value || /^[a-z]{2,3}_([A-Z]{2}|\d{3})$/.test(value),
  timeZone: (_node, value) => !value || isTimeZone(value),
  email: (_node, value) => Boolean(value),
  password: (_node, value) => Boolean(value),
}

export const own = {
  label() {
    if (this.name) return this.name
    if (this.source === 'demo') return this._('account.source.demo')
    const url = address(this.url)
    return url ? url.host : this._('account.palette')
  },
}

export function prepare(node) {
  // Nodes of older versions do not have it, and the empty field would count as a change.
  node.requestsPerDay ??= ''
  if (Intl.supportedValuesOf) {
    const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')]
    $('#keyholder-account-zones').append(zones.map((zone) => $('<option>').val(zone)))
  }
  const url = $('#node-config-input-url')
  url.on('change', () => {
    const address = completed(url.val())
    if (address !== url.val()) url.val(address).trigger('change')
  })
  if (!RED.nodes.node(node.id)) {
    const { language, region } = new Intl.Locale(RED.i18n.lang()).maximize()
    $('#node-config-input-locale').val(`${language}_${region}`)
  }
  const newId = uuid()
  $('#node-config-input-source').on('change', ({ target }) => {
    const isDemo = target.value === 'demo'
    $('#keyholder-account-service').toggle(!isDemo)
    $('#keyholder-account-demo').toggle(isDemo)
    // Only a service needs it. It is stored when the dialog is saved, like each field.
    if (!node.appId) $('#node-config-input-appId').val(isDemo ? '' : newId)
  })
  $('#node-config-input-api').on('change', function () {
    $('#keyholder-account-deviceInfo').toggle(this.value === 'service')
  })
  const buttons = [$('#keyholder-account-check'), $('#keyholder-account-console')]
  addPanels = () => {}
  void configDialogs.then(({ setUpAccountDialog }) => {
    addPanels = setUpAccountDialog?.(node, ...buttons) ?? addPanels
  })
}

export function save() {
  // The editor adds a new account only after this, and its panels need it.
  setTimeout(addPanels, 0)
}
