import { configDialogs } from '../pages/dialog.mjs'

const mayBeVariable = (text) => /^\$\{[^}]+\}$/.test(text.trim())
// An address without redis:// is that of Sentinels, as are several.
const isOfSentinels = (text) =>
  text.trim() !== '' && (!/^rediss?:\/\//i.test(text.trim()) || text.includes(','))

export const rules = {
  address: (_node, value) =>
    /^(rediss?:\/\/)?[\w.:[\]-]+(\s*,\s*[\w.:[\]-]+)*(\/\d+)?$/i.test(String(value).trim()) ||
    mayBeVariable(String(value)),
  clusterName: (_node, value) => !value || mayBeVariable(value) || /^[\w.-]{1,64}$/.test(value),
}

export const own = {
  label() {
    return this.name || this.address || this._('cluster.palette')
  },
}

export function prepare(node) {
  const address = $('#node-config-input-address')
  const showMaster = () => $('#keyholder-cluster-master').toggle(isOfSentinels(address.val()))
  address.on('input change', showMaster)
  showMaster()
  const button = $('#keyholder-cluster-check')
  void configDialogs.then(({ setUpClusterDialog }) => setUpClusterDialog?.(node, button))
}
