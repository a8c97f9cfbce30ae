import assert from 'node:assert/strict'
import { checkServerInfo } from '../../../src/cluster/redis/server-info.ts'

describe('The description of a server', () => {
  it('is that of a too old one if it names no version', () => {
    assert.throws(() => checkServerInfo('role:master\r\n'), {
      code: 'BAD_SETTING',
      message: /the server has version 0\. Use Redis 6\.2 or later/,
      detail: { text: 'cluster.finding.oldServer', values: { version: '0' } },
    })
  })
})
