import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { signedIn } from '../../../harness/simulator/api-client.ts'
import { useSimulatorHarness } from '../../../harness/simulator.ts'
import { visit as visitUrl } from '../../../harness/visit.ts'
import { deviceWarnings } from '../../../src/service/catalogue/device-types.ts'
import { faultCatalogue } from '../../../src/simulator/faults/fault-catalogue.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'
import { factoryOptions } from '../../../src/simulator/world/panel-options.ts'

const visit = ({ url }: Simulator, method: string, path: string, headers = {}, body = '') =>
  visitUrl(url + path, method, headers, body)

const json = { 'Content-Type': 'application/json' }

describe('the console page', () => {
  const at = useSimulatorHarness(signedIn)

  const act = (action: string, body: object) =>
    visit(
      at.simulator,
      'POST',
      `/console/${action}`,
      { ...json, Origin: at.simulator.url, 'Sec-Fetch-Site': 'same-origin' },
      JSON.stringify(body),
    )
  const done = async (action: string, body: object) => {
    const { body: said, text } = await act(action, body)
    assert.equal(said.done, true, text)
  }
  const state = async () => (await visit(at.simulator, 'GET', '/console/state')).body
  const home = () => ({ panel: at.simulator.serials[0] })
  const partition = async (id: number) =>
    (await at.caller.get('status')).body.partitions.find((one: { id: number }) => one.id === id)
  const warnings = async (zone: number): Promise<string[]> => {
    const devices: { device_type: string; device_number: number; warnings: { type: string }[] | null }[] = (
      await at.caller.get('devices')
    ).body
    const found = devices.find((one) => one.device_type === 'ZONE' && one.device_number === zone)
    return found?.warnings?.map(({ type }) => type) ?? []
  }
  const alarms = async (list: 'alarms' | 'alerts' = 'alarms'): Promise<string[]> =>
    (await at.caller.get(list)).body.map(
      (one: { alarm_type?: string; alert_type?: string }) => one.alarm_type ?? one.alert_type,
    )

  describe('at the root', () => {
    it('is a page that can load only its own files, run nothing inline and be in no frame', async () => {
      const { status, text, headers } = await visit(at.simulator, 'GET', '/')
      assert.equal(status, 200)
      assert.match(headers['content-type'] ?? '', /^text\/html/)
      const policy = String(headers['content-security-policy'])
      assert.match(policy, /^default-src 'none'; /)
      assert.match(policy, /frame-ancestors 'none'/)
      assert.doesNotMatch(policy, /unsafe|\*|data:|https?:/)
      assert.equal(headers['access-control-allow-origin'], undefined)
      assert.doesNotMatch(text, /<script(?![^>]* src=)|<style| style=| on\w+=|javascript:/i)
    })

    it('loads everything from /console/ and has no links elsewhere', async () => {
      const seen = new Set(['/'])
      for (const path of seen) {
        const { status, text } = await visit(at.simulator, 'GET', path)
        assert.equal(status, 200, path)
        const loaded = [...text.matchAll(/(?:src|href)="([^"]+)"|from '\.\/([^']+)'/g)]
        for (const [, link, module] of loaded) seen.add(`/${link ?? `console/${module}`}`)
        // With a path from the root it would not work below the address of Node-RED's editor.
        assert.doesNotMatch(text, /(?:src|href)="\/|["'`]\/console/, path)
        assert.doesNotMatch(
          text.replace('http://www.w3.org/2000/svg', ''),
          /https?:\/\/|@import|url\(|innerHTML/,
        )
      }
      assert.equal(seen.size, 11)
      assert.ok([...seen].every((path) => path === '/' || path.startsWith('/console/')))
    })

    it('has a label for every control', async () => {
      const { text } = await visit(at.simulator, 'GET', '/')
      const controls = [...text.matchAll(/<(?:select|input)[^>]* id="([^"]+)"/g)].map(([, id]) => id)
      assert.ok(controls.length >= 5)
      for (const id of controls) {
        const isInside = new RegExp(`<label><input[^>]* id="${id}"> \\w+`).test(text)
        assert.ok(isInside || text.includes(`<label for="${id}">`), id)
      }
    })
  })

  describe('at the panel', () => {
    it('arms and disarms each partition', async () => {
      await done('keypad', { ...home(), partition: 2, to: 'HOME' })
      assert.deepEqual([(await partition(2)).state, (await partition(1)).state], ['HOME', 'DISARM'])
      await done('keypad', { ...home(), partition: 2, to: 'AWAY' })
      assert.equal((await partition(2)).state, 'AWAY')
      await done('keypad', { ...home(), partition: 2, to: 'DISARM' })
      assert.equal((await partition(2)).state, 'DISARM')
    })

    it('explains why a partition cannot be armed', async () => {
      await done('zone', { ...home(), zone: 2, does: 'open' })
      const { status, body } = await act('keypad', { ...home(), partition: 1, to: 'AWAY' })
      assert.deepEqual([status, body.done], [200, false])
      assert.match(body.message, /House cannot be armed now/)
      assert.equal((await partition(1)).state, 'DISARM')
    })

    it('opens and closes zones', async () => {
      await done('zone', { ...home(), zone: 2, does: 'open' })
      assert.deepEqual(await warnings(2), ['OPENED'])
      await done('zone', { ...home(), zone: 2, does: 'close' })
      assert.deepEqual(await warnings(2), [])
    })

    it('triggers a motion for a moment', async () => {
      await done('keypad', { ...home(), partition: 1, to: 'AWAY' })
      at.clock.advance(20_000)
      await done('zone', { ...home(), zone: 4, does: 'trigger' })
      assert.deepEqual(await alarms(), ['BURGLER'])
      const types = (await at.caller.get('events')).body.map((event: { type_id: number }) => event.type_id)
      assert.deepEqual(types.slice(-2), [1, 19])
    })

    it('sets and clears tamper and low battery of a zone', async () => {
      await done('tamper', { ...home(), zone: 3, on: true })
      await done('battery', { ...home(), zone: 3, on: true })
      assert.deepEqual(await warnings(3), ['TAMPER', 'LOW_BATTERY'])
      await done('battery', { ...home(), zone: 3, on: false })
      await done('tamper', { ...home(), zone: 3, on: false })
      assert.deepEqual(await warnings(3), ['TAMPER_MEMORY'])
    })

    it('lets the panel miss a zone, be jammed and lose its power, and shows all of it', async () => {
      const shown = async () => {
        const [panel] = (await state()).panels
        return [panel.zones[2].missing, panel.jammed, panel.powerCut, panel.partitions[0].ready]
      }
      await done('missing', { ...home(), zone: 3, on: true })
      assert.deepEqual([await warnings(3), await shown()], [['INACTIVE'], [true, false, false, false]])
      await done('missing', { ...home(), zone: 3, on: false })
      await done('jam', { ...home(), on: true })
      await done('power', { ...home(), on: false })
      assert.deepEqual(await shown(), [false, true, true, false])
      await done('jam', { ...home(), on: false })
      await done('power', { ...home(), on: true })
      assert.deepEqual(await shown(), [false, false, false, true])
    })

    // @spec 2.10
    it('begins and ends every warning that is known, of any device', async () => {
      const { panels, warnings: types } = await state()
      assert.deepEqual(types, [...deviceWarnings])
      const reported = async (id: number): Promise<string[]> => {
        const devices: { id: number; warnings: { type: string }[] | null }[] = (
          await at.caller.get('devices')
        ).body
        return devices.find((one) => one.id === id)?.warnings?.map(({ type }) => type) ?? []
      }
      const zone = at.simulator.world.panel(home().panel ?? '').zone(3).id
      for (const type of types) await done('warning', { ...home(), device: zone, type, on: true })
      assert.deepEqual(await reported(zone), types)
      const shown = async () =>
        (await state()).panels[0].devices.find(({ id }: { id: number }) => id === zone).warnings
      assert.deepEqual(await shown(), types)
      for (const type of types) await done('warning', { ...home(), device: zone, type, on: false })
      assert.deepEqual([await reported(zone), await shown()], [[], []])
      const siren = panels[0].devices.at(-1).id
      await done('warning', { ...home(), device: siren, type: 'INACTIVE', on: true })
      assert.deepEqual(await reported(siren), ['INACTIVE'])
      const { status, text } = await act('warning', { ...home(), device: zone, type: 'ODD', on: true })
      assert.equal(status, 400)
      assert.match(text, /Unknown warning \\"ODD\\": choose one of the list\./)
    })

    it('sets each option of the panel to each of its values', async () => {
      const options = async () => (await state()).panels[0].options
      const all = await options()
      assert.deepEqual(
        all.map(({ name }: { name: string }) => name),
        Object.keys(factoryOptions),
      )
      for (const { name, values } of all)
        for (const value of values) {
          await done('option', { ...home(), option: name, value })
          assert.equal((await options()).find((one: { name: string }) => one.name === name).value, value)
        }
      assert.deepEqual(at.panel.options, {
        ...at.panel.options,
        abortTime: 240,
        bypassMode: 'force-arm',
        exitMode: 'end-by-exit',
      })
      for (const wrong of [
        { option: 'abortTime', value: 7 },
        { option: 'volume', value: 1 },
        { option: 'reports' },
      ])
        assert.equal((await act('option', { ...home(), ...wrong })).status, 400)
    })

    it('triggers an intrusion: arms if necessary and opens a window', async () => {
      await done('alarm', { ...home(), alarm: 'intrusion' })
      assert.equal((await partition(1)).state, 'AWAY')
      assert.deepEqual(await alarms(), ['BURGLER'])
      assert.deepEqual(await warnings(2), ['OPENED'])
    })

    it('triggers an intrusion during the exit delay', async () => {
      await done('keypad', { ...home(), partition: 1, to: 'AWAY' })
      await done('alarm', { ...home(), alarm: 'intrusion' })
      assert.deepEqual(await alarms(), ['BURGLER'])
    })

    it('triggers an intrusion by a window that is neither open nor bypassed', async () => {
      const panel = at.simulator.world.panels[0]
      panel?.open(2)
      panel?.bypass(2, true)
      await done('keypad', { ...home(), partition: 1, to: 'AWAY' })
      const during = await act('alarm', { ...home(), alarm: 'intrusion' })
      assert.deepEqual([during.body.done, (await partition(1)).status], [false, 'EXIT'])
      at.clock.advance(60_000)
      await done('alarm', { ...home(), alarm: 'intrusion' })
      assert.deepEqual(await alarms(), ['BURGLER'])
    })

    it('triggers a panic alarm, which disarming ends', async () => {
      await done('alarm', { ...home(), alarm: 'panic' })
      assert.deepEqual(await alarms(), ['PANIC'])
      await done('keypad', { ...home(), partition: 1, to: 'DISARM' })
      assert.deepEqual(await alarms(), ['ALARM_IN_MEMORY'])
      const types = (await at.caller.get('events')).body.map((event: { type_id: number }) => event.type_id)
      assert.deepEqual(types, [13, 31, 42, 173])
    })

    it('triggers a fire and a flood, which end when the zones are at rest', async () => {
      await done('alarm', { ...home(), alarm: 'fire' })
      await done('alarm', { ...home(), alarm: 'flood' })
      assert.deepEqual([await alarms(), await alarms('alerts')], [['FIRE'], ['FLOOD_ALERT']])
      await done('zone', { ...home(), zone: 6, does: 'close' })
      await done('zone', { ...home(), zone: 7, does: 'close' })
      assert.deepEqual([await alarms(), await alarms('alerts')], [['ALARM_IN_MEMORY'], ['ALARM_IN_MEMORY']])
    })

    it('offers only the alarms that the panel has devices for', async () => {
      const [house, cottage] = (await state()).panels
      assert.deepEqual(house.alarms, ['intrusion', 'panic', 'fire', 'flood'])
      assert.deepEqual(cottage.alarms, ['intrusion', 'panic', 'fire'])
      assert.equal((await act('alarm', { panel: cottage.serial, alarm: 'flood' })).status, 400)
      for (const alarm of cottage.alarms) await done('alarm', { panel: cottage.serial, alarm })
    })

    it('takes the panel offline and online, and shows its real state in between', async () => {
      await done('line', { ...home(), online: false })
      await done('keypad', { ...home(), partition: 1, to: 'AWAY' })
      const { body } = await at.caller.get('status')
      assert.deepEqual([body.connected, (await partition(1)).state], [false, 'DISARM'])
      const [shown] = (await state()).panels
      assert.deepEqual([shown.online, shown.partitions[0].state], [false, 'AWAY'])
      await done('line', { ...home(), online: true })
      assert.equal((await partition(1)).state, 'AWAY')
    })

    it('shows the current states, zones and alarms', async () => {
      await done('alarm', { ...home(), alarm: 'intrusion' })
      await done('keypad', { ...home(), partition: 2, to: 'AWAY' })
      const [{ partitions, zones }] = (await state()).panels
      assert.deepEqual(partitions[0].alarms, [{ name: 'Kitchen window', word: 'BURGLER' }])
      assert.deepEqual(
        partitions.map((one: { leaving: boolean; ready: boolean }) => [one.leaving, one.ready]),
        [
          [false, false],
          [true, true],
          [false, true],
        ],
      )
      const { name, kind, open, alarm } = zones[1]
      assert.deepEqual([name, kind, open, alarm], ['Kitchen window', 'contact', true, true])
    })
  })

  describe('at the clock', () => {
    it('changes the speed of the world, also for running timers', async () => {
      await done('keypad', { ...home(), partition: 1, to: 'AWAY' })
      at.clock.advance(10_000)
      await done('speed', { speed: 10 })
      at.clock.advance(999)
      assert.equal((await partition(1)).status, 'EXIT')
      at.clock.advance(1)
      assert.equal((await partition(1)).status, '')
      const { time, speed } = await state()
      assert.deepEqual([time, speed], ['2026-11-20T12:00:20Z', 10])
      await done('keypad', { ...home(), partition: 2, to: 'AWAY' })
      await done('speed', { speed: 1 })
      at.clock.advance(5000)
      assert.equal((await state()).time, '2026-11-20T12:00:25Z')
      assert.equal((await partition(2)).status, 'EXIT')
      at.clock.advance(15_000)
      assert.equal((await partition(2)).status, '')
    })

    it('refuses a speed out of range', async () => {
      for (const speed of [0, -1, 10_001, '10', null]) {
        assert.equal((await act('speed', { speed })).status, 400, String(speed))
      }
      assert.equal((await state()).speed, 1)
    })
  })

  describe('at the service', () => {
    it('ends sessions, and user tokens with their sessions', async () => {
      await done('expire', { tokens: 'sessions' })
      assert.equal((await at.caller.get('status')).status, 440)
      assert.equal((await at.caller.get('panels')).status, 200)
      await done('expire', { tokens: 'users' })
      assert.notEqual((await at.caller.get('panels')).status, 200)
    })

    it('turns a fault on for one operation and off again', async () => {
      const fault = { fault: 'status 503', operation: 'status' }
      await done('fault', { ...fault, on: true })
      assert.equal((await at.caller.get('status')).status, 503)
      assert.equal((await at.caller.get('devices')).status, 200)
      assert.deepEqual((await state()).running, [{ name: 'status 503', operation: 'status' }])
      await done('fault', { ...fault, on: false })
      assert.equal((await at.caller.get('status')).status, 200)
      assert.deepEqual((await state()).running, [])
    })

    it('turns on every fault for all operations and stays usable itself', async () => {
      const { faults } = await state()
      assert.equal(faults.length, faultCatalogue.length)
      for (const fault of faults) {
        await done('fault', { fault, operation: '', on: true })
        await done('fault', { fault, operation: '', on: true })
      }
      assert.equal((await state()).running.length, faults.length)
      await done('no-faults', {})
      assert.deepEqual((await state()).running, [])
      assert.equal((await at.caller.get('panels')).status, 200)
    })

    it('shows faults started elsewhere and can end them', async () => {
      at.simulator.faults.start({ name: 'of a test', answer: () => ({ status: 418 }) })
      assert.deepEqual((await state()).running, [{ name: 'of a test', operation: '' }])
      await done('fault', { fault: 'of a test', operation: '', on: false })
      assert.equal((await at.caller.get('panels')).status, 200)
    })

    it('shows address and credentials of the service, however the page was reached', async () => {
      const { url, email, password, userCode, console } = at.simulator
      const expected = { url, email, password, userCode }
      assert.deepEqual((await state()).account, expected)
      const { body } = console.respond('GET', '/console/state', '')
      assert.deepEqual((body as { account: object }).account, expected)
    })

    it('lists requests live, newest first, without its own', async () => {
      at.clock.advance(65_000)
      await at.caller.get('nowhere')
      const { requests } = await state()
      assert.deepEqual(requests[0], {
        time: '2026-11-20T12:01:05.000Z',
        method: 'GET',
        path: '/rest_api/14.0/nowhere',
        status: 404,
      })
      assert.deepEqual(
        requests.slice(1).map(({ path }: { path: string }) => path),
        ['/rest_api/14.0/panel/login', '/rest_api/14.0/auth'],
      )
      assert.ok(!at.simulator.requests.some(({ path }) => path === '/' || path.startsWith('/console')))
    })
  })

  describe('to other origins', () => {
    const speed = JSON.stringify({ speed: 60 })
    const unchanged = async () => assert.equal((await state()).speed, 1)

    it('answers only under its own host names, so that DNS rebinding neither reads nor acts', async () => {
      const { port } = new URL(at.simulator.url)
      const foreign = [
        'evil.example',
        `evil.example:${port}`,
        '127.0.0.1',
        'localhost:1',
        `127.0.0.1.evil:${port}`,
      ]
      for (const Host of foreign) {
        for (const path of ['/', '/console/state', '/console/main.mjs']) {
          const { status, text } = await visit(at.simulator, 'GET', path, { Host })
          assert.equal(status, 403, Host + path)
          assert.doesNotMatch(text, /demo-keyholder|<html/)
        }
        const headers = { ...json, Host, Origin: `http://${Host}` }
        assert.equal((await visit(at.simulator, 'POST', '/console/speed', headers, speed)).status, 403, Host)
      }
      await unchanged()
      for (const Host of [`localhost:${port}`, `LOCALHOST:${port}`, `127.0.0.1:${port}`])
        assert.equal((await visit(at.simulator, 'GET', '/', { Host })).status, 200, Host)
    })

    it('accepts actions only from its own page', async () => {
      const { port } = new URL(at.simulator.url)
      const origins = ['https://evil.example', 'null', `http://127.0.0.1:1`, `http://localhost:${port}`, '']
      for (const Origin of origins) {
        const headers = { ...json, Origin, 'Sec-Fetch-Site': 'same-origin' }
        assert.equal(
          (await visit(at.simulator, 'POST', '/console/speed', headers, speed)).status,
          403,
          Origin,
        )
      }
      for (const site of ['cross-site', 'same-site', 'none']) {
        const headers = { ...json, Origin: at.simulator.url, 'Sec-Fetch-Site': site }
        assert.equal((await visit(at.simulator, 'POST', '/console/speed', headers, speed)).status, 403, site)
      }
      assert.equal((await visit(at.simulator, 'POST', '/console/speed', json, speed)).status, 403)
      await unchanged()
    })

    it('rejects content types of HTML forms and never answers a CORS preflight', async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx']) {
        const headers = { Origin: at.simulator.url, 'Content-Type': type }
        assert.equal((await visit(at.simulator, 'POST', '/console/speed', headers, speed)).status, 415, type)
      }
      const asking = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' }
      const { status, headers } = await visit(at.simulator, 'OPTIONS', '/console/speed', asking)
      assert.equal(status, 405)
      assert.ok(!Object.keys(headers).some((name) => name.startsWith('access-control')))
      await unchanged()
    })

    it('refuses invalid actions with one sentence', async () => {
      const wrong: [string, object, RegExp][] = [
        ['keypad', {}, /"panel" must be a text/],
        ['keypad', { panel: 'nobody', partition: 1, to: 'AWAY' }, /no panel nobody/],
        ['keypad', { ...home(), partition: 9, to: 'AWAY' }, /no partition 9/],
        ['keypad', { ...home(), partition: 1, to: 'PROGRAMMING' }, /"to" must be/],
        ['zone', { ...home(), zone: 99, does: 'open' }, /no zone 99/],
        ['zone', { ...home(), zone: 1, does: 'burn' }, /"does" must be/],
        ['tamper', { ...home(), zone: 1, on: 1 }, /"on" must be true or false/],
        ['alarm', { ...home(), alarm: 'meteor' }, /does not have this alarm/],
        ['expire', { tokens: 'all' }, /"tokens" must be/],
        ['fault', { fault: 'gremlins', operation: '', on: true }, /Unknown fault "gremlins"/],
        ['fault', { fault: 'reset, request done', operation: '__proto__', on: true }, /Unknown operation/],
      ]
      for (const [action, body, sentence] of wrong) {
        const said = await act(action, body)
        assert.equal(said.status, 400, action)
        assert.match(said.body.message, sentence)
      }
      assert.equal((await act('keypad', [])).status, 400)
      assert.equal((await visit(at.simulator, 'GET', '/console/nothing')).status, 404)
      assert.equal((await visit(at.simulator, 'GET', '/console/speed')).status, 405)
      assert.equal(
        (await visit(at.simulator, 'POST', '/', { ...json, Origin: at.simulator.url })).status,
        405,
      )
    })
  })

  it('ends with the simulator, even if a browser keeps its connection', async () => {
    const { port } = new URL(at.simulator.url)
    const browser = new Socket().connect(Number(port), '127.0.0.1')
    const ended = new Promise((resolve) => browser.once('close', resolve))
    await new Promise((resolve) => {
      browser.once('data', resolve)
      browser.write(`GET /console/state HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
    })
    await at.simulator.close()
    await ended
    await assert.rejects(visit(at.simulator, 'GET', '/'))
  })
})
