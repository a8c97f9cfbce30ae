import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { fileURLToPath } from 'node:url'
import { moduleExtension } from '../../../harness/module-extension.ts'

const megabyte = 1024 * 1024

/**
 * Starts a simulator in its own process, with a fault for all operations; returns the process and the URL.
 */
async function start(fault: 'largeBody' | 'gzipBomb', bytes: number): Promise<[ChildProcess, string]> {
  const child = fork(
    fileURLToPath(
      new URL(`../../../harness/simulator/simulator-with-fault${moduleExtension}`, import.meta.url),
    ),
    [fault, String(bytes)],
  )
  const [url] = await once(child, 'message')
  return [child, url]
}

/** Returns the peak memory of the process in bytes. */
async function readPeak(child: ChildProcess): Promise<number> {
  child.send('peak')
  const [bytes] = await once(child, 'message')
  return bytes
}

describe('the largest responses', () => {
  let child: ChildProcess

  afterEach(() => {
    child.kill()
  })

  for (const [fault, size] of [
    ['largeBody', 260],
    ['gzipBomb', 200],
  ] as const) {
    it(`cost the simulator only a few MB, read to the end or not: ${fault} of ${size} MB`, async () => {
      const [started, url] = await start(fault, size * megabyte)
      child = started
      const before = await readPeak(child)
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
      const grown = (await readPeak(child)) - before
      if (fault === 'largeBody') assert.equal(bytes, size * megabyte)
      assert.ok(grown < 24 * megabyte, `${grown / megabyte} MB`)
    })
  }
})
