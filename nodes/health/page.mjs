import { entered } from '../pages/dialog.mjs'

export const rules = {
  panel(node, value) {
    if (!value || value === '_ADD_') return true
    const panel = RED.nodes.node(value)
    return Boolean(panel) && panel.valid !== false && panel.account === entered(node, 'account')
  },
  every(_node, value) {
    const seconds = Number(value)
    return seconds === 0 || (seconds >= 1 && seconds <= 604800)
  },
}

export const own = {
  onadd() {
    const { findSole = () => '' } = RED.nodes.getType('keyholder-panel') ?? {}
    const panel = findSole(this, 'keyholder-panel')
    this.panel ||= panel
    this.account ||= RED.nodes.node(panel)?.account ?? findSole(this, 'keyholder-account')
  },
}
