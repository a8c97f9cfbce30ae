import assert from 'node:assert/strict'
import { BoundedBody } from '../../../src/account/http/http-client.ts'

const maxBytes = 4 * 1024 * 1024
const tooLarge = { code: 'RESPONSE_TOO_LARGE' }

describe('The body of an answer', () => {
  it('is taken up to 4 MB, in one chunk or in several, and not a byte more', () => {
    for (const sizes of [[maxBytes], [maxBytes - 1, 1]]) {
      const body = new BoundedBody()
      for (const size of sizes) body.add(Buffer.alloc(size, ' '))
      assert.equal(body.text().length, maxBytes)
      assert.throws(() => body.add(Buffer.from(' ')), tooLarge)
    }
  })

  it('is taken up to 100,000 values, in one chunk or in several, and not one more', () => {
    for (const chunks of [['['.repeat(100_000)], ['{'.repeat(99_999), ':']]) {
      const body = new BoundedBody()
      for (const chunk of chunks) body.add(Buffer.from(chunk))
      body.add(Buffer.from('"a" 1 ]}'))
      assert.throws(() => body.add(Buffer.from(',')), tooLarge)
    }
  })
})
