import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { fileURLToPath } from 'node:url'

const megabyte = 1024 * 1024

/** A simulator in a process of its own, with a fault at all operations; a message from it tells its peak of memory. */
async function start(fault: 'largeBody' | 'gzipBomb', bytes: number): Promise<[ChildProcess, string]> {
  const child = fork(fileURLToPath(new URL('../simulator-with-a-fault.js', import.meta.url)), [
    fault,
    String(bytes),
  ])
  const [url] = await once(child, 'message')
  return [child, url]
}

/** The most memory that the process ever had, in bytes. */
async function peak(child: ChildProcess): Promise<number> {
  child.send('peak')
  const [bytes] = await once(child, 'message')
  return bytes
}

describe('the largest answers', () => {
  let child: ChildProcess

  afterEach(() => {
    child.kill()
  })

  for (const [fault, size] of [
    ['largeBody', 260],
    ['gzipBomb', 200],
  ] as const) {
    it(`cost the simulator a few MB: ${fault} of ${size} MB, read to its end or never`, async () => {
      const [started, url] = await start(fault, size * megabyte)
      child = started
      const before = await peak(child)
      const ignored = get(`${url}/rest_api/version`)
      ignored.on('error', () => {})
      const [unread] = await once(ignored, 'response')
      let bytes = 0
      await new Promise<void>((resolve, reject) => {
        get(`${url}/rest_api/version`, (response) => {
          response.on('data', (piece) => {
            bytes += piece.length
          })
          response.on('end', resolve)
          response.on('error', reject)
        })
      })
      unread.destroy()
      const grown = (await peak(child)) - before
      if (fault === 'largeBody') assert.equal(bytes, size * megabyte)
      assert.ok(grown < 24 * megabyte, `${grown / megabyte} MB`)
    })
  }
})
