export const own = {
  outputLabels(index) {
    const first = this._('chain-test.port.first')
    return [first, this._('chain-test.port.second'), this._('chain-test.port.answer')][index]
  },
  button: {
    enabled() {
      return !this.changed
    },
    onclick() {
      const post = { type: 'POST', contentType: 'application/json', data: '{}' }
      $.ajax(`keyholder/chain-test/${this.id}/start`, post)
        .done(() => RED.notify(this._('chain-test.notice.started'), { type: 'success', timeout: 2000 }))
        .fail(() => RED.notify(this._('chain-test.notice.failed'), 'error'))
    },
  },
}
