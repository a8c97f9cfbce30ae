import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { signedIn } from '../../../harness/simulator/api-client.ts'
import { receive } from '../../../harness/simulator/raw-client.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'
import {
  deepNesting,
  emptyBody,
  htmlPage,
  invalidJson,
  protoKeys,
  redirect,
  status,
  wrongTypes,
} from '../../../src/simulator/faults/response-faults.ts'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** Returns the places of all values in a JSON value: `.partitions.0.id`. */
function placesIn(value: Json, place = ''): string[] {
  if (typeof value !== 'object' || value === null) return [place]
  return [place, ...Object.entries(value).flatMap(([key, member]) => placesIn(member, `${place}.${key}`))]
}

/** Returns the places of values with another type, without those below them. */
function wrongPlaces(original: Json, changed: Json, place = ''): string[] {
  if (typeOf(changed) !== typeOf(original)) return [place]
  if (typeof original !== 'object' || original === null) return []
  const members = changed as Record<string, Json>
  return Object.entries(original).flatMap(([key, member]) =>
    wrongPlaces(member, members[key] ?? null, `${place}.${key}`),
  )
}

function typeOf(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}

describe('a response fault', () => {
  let simulator: Simulator
  let tokens: { userToken: string; sessionToken: string }

  before(async () => {
    simulator = await startSimulator({ clock: new FakeClock() })
    tokens = await signedIn(simulator)
  })

  afterEach(async () => {
    const [changed, undisturbed] = [await ask('devices'), await ask('status')]
    assert.equal(changed.status, 200)
    assert.ok(Array.isArray(changed.json()) && 'partitions' in undisturbed.json())
    assert.deepEqual(simulator.defects, [])
  })

  after(() => simulator.close())

  const ask = async (operation: string, fault?: Fault) => {
    const end = fault && simulator.faults.start(fault)
    const { status, headers, body } = await receive(simulator, `/rest_api/14.0/${operation}`, tokens).ended
    end?.()
    const text = body.toString()
    return { status, headers, text, json: () => JSON.parse(text) }
  }

  const said: readonly [number, string | number][] = [
    [401, 401],
    [403, 10010],
    [404, 404],
    [420, 10020],
    [429, 429],
    [440, 440],
    [442, 442],
    [444, 444],
    [447, 447],
    [500, 500],
  ]
  for (const [code, error] of said) {
    it(`answers ${code} with the service's error body and without Retry-After`, async () => {
      const refused = await ask('status', status(code))
      assert.equal(refused.status, code)
      assert.equal(refused.json().error, error)
      assert.equal('retry-after' in refused.headers, false)
    })
  }

  it('answers 503 with the page of a gateway', async () => {
    const refused = await ask('status', status(503))
    assert.equal(refused.status, 503)
    assert.match(refused.text, /<h1>503 Service Unavailable/)
  })

  for (const retryAfter of ['30', 'Wed, 21 Oct 2026 07:28:00 GMT', '-1', '1000000000', 'soon']) {
    it(`sends Retry-After: ${retryAfter}`, async () => {
      for (const code of [429, 503]) {
        assert.equal((await ask('status', status(code, { retryAfter }))).headers['retry-after'], retryAfter)
      }
    })
  }

  it('reports a blocked sign-in for the given seconds, by default 44', async () => {
    const timeout = async (fault: Fault) => (await ask('status', fault)).json().extras
    assert.deepEqual(await timeout(status(420)), [{ key: 'timeout', value: 44 }])
    assert.deepEqual(await timeout(status(420, { seconds: 1 })), [{ key: 'timeout', value: 1 }])
  })

  it('replaces the body of an error status', async () => {
    assert.deepEqual((await ask('status', status(403, { body: { own: 1 } }))).json(), { own: 1 })
    assert.equal((await ask('status', status(403, { body: undefined }))).text, '')
    assert.equal((await ask('status', status(418))).status, 418)
  })

  for (const code of [200, 403]) {
    it(`sends a web page with status ${code}`, async () => {
      const page = await ask('status', htmlPage(code))
      assert.equal(page.status, code)
      assert.match(String(page.headers['content-type']), /^text\/html/)
      assert.match(page.text, /^<!DOCTYPE html>/)
    })
  }

  for (const code of [302, 307]) {
    it(`redirects to another origin with ${code}`, async () => {
      const { status, headers } = await ask('status', redirect('https://elsewhere.example/', code))
      assert.equal(status, code)
      assert.equal(headers.location, 'https://elsewhere.example/')
    })
  }

  it('sends an empty body', async () => {
    const { status, text } = await ask('status', emptyBody())
    assert.deepEqual({ status, text }, { status: 200, text: '' })
  })

  it('sends invalid JSON', async () => {
    const { status, headers, text, json } = await ask('status', invalidJson())
    assert.equal(status, 200)
    assert.match(String(headers['content-type']), /^application\/json/)
    assert.throws(json, SyntaxError)
    assert.deepEqual(JSON.parse(`${text}}`), (await ask('status')).json())
  })

  it('sends JSON of the given depth', async () => {
    const { text, json } = await ask('status', deepNesting(200_000))
    assert.equal(text.length, 400_000)
    let depth = 0
    for (let list = json(); list !== undefined; list = list[0]) depth += 1
    assert.equal(depth, 200_000)
  })

  it('changes the types of values differently each time, and identically for the same seed', async () => {
    const original = (await ask('status')).json()
    const changed = async (fault: Fault) => {
      const texts: string[] = []
      for (let count = 0; count < 10; count += 1) texts.push((await ask('status', fault)).text)
      return texts
    }
    const texts = await changed(wrongTypes(7))
    for (const text of texts) assert.notDeepEqual(JSON.parse(text), original)
    assert.ok(new Set(texts).size > 5)
    assert.deepEqual(await changed(wrongTypes(7)), texts)
    assert.notDeepEqual(await changed(wrongTypes(8)), texts)
  })

  it('reaches every value of a response with its wrong types, including the whole body', async () => {
    const original = (await ask('status')).json()
    const fault = wrongTypes(1)
    const spoilt = new Set<string>()
    for (let count = 0; count < 300; count += 1) {
      for (const place of wrongPlaces(original, (await ask('status', fault)).json())) spoilt.add(place)
    }
    assert.deepEqual([...spoilt].sort(), placesIn(original).sort())
  })

  it('adds __proto__ members to every object at every depth', async () => {
    const [plain, polluted] = [await ask('devices'), await ask('devices', protoKeys())]
    const objects = plain.text.split('{').length - 1
    assert.ok(objects > 20)
    assert.equal(polluted.text.split('"__proto__"').length - 1, objects)
    const device = polluted.json().find((one: { id: number }) => one.id === plain.json().at(-1).id)
    assert.ok(Object.hasOwn(device, '__proto__') && Object.hasOwn(device.traits, '__proto__'))
    assert.equal(Object.assign({}, device).polluted, 'by the wire')
  })
})
