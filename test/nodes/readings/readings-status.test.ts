import assert from 'node:assert/strict'
import type { NodeAPI } from 'node-red'
import { englishText } from '../../../harness/fixtures/english-texts.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import { readingsStatus } from '../../../nodes/readings/behavior.ts'
import { written } from '../../../nodes/shared/node-status.ts'
import type { Reading } from '../../../src/panel/devices/readings.ts'

const RED = { _: englishText } as unknown as NodeAPI
const type = 'keyholder-readings'

/** Returns a reading of a device with this label. */
function reading(label: string, kind: Reading['kind'], value: Reading['value']): Reading {
  const unit = kind === 'temperature' ? '°C' : kind === 'brightness' ? 'lx' : null
  const device = { id: label.length, label } as Reading['device']
  return { kind, value, unit, measuredAt: null, measuredAtRaw: '', device }
}

const said = (...readings: Reading[]) => written(RED, readingsStatus(readings) ?? {}, 0)

describe('The status of readings', () => {
  it('names what is open, before all else', () => {
    const open = [reading('Kitchen window', 'open', true), reading('Cellar', 'open', true)]
    const others = [reading('Hall', 'open', false), reading('Hall', 'temperature', 18.5)]
    assert.equal(said(...others, ...open), '2 open: Kitchen window, Cellar')
  })

  it('says how many devices are closed', () => {
    assert.equal(said(reading('Hall', 'open', false), reading('Cellar', 'open', false)), 'all closed (2)')
  })

  it('counts contacts only: nothing else is open or closed', () => {
    const zone = (label: string, subtype: string, zoneType: string) => {
      const { device, ...one } = reading(label, 'open', false)
      return { ...one, device: { ...device, subtype, zoneType } }
    }
    const others = [
      zone('Hall', 'MOTION', 'INTERIOR'),
      zone('Landing', 'SMOKE', 'FIRE'),
      zone('Cellar', 'FLOOD', 'FLOOD'),
    ]
    assert.equal(said(...others, zone('Kitchen', 'CONTACT', 'PERIMETER')), 'all closed (1)')
    assert.equal(said(...others), 'devices: 3')
  })

  it('names the device of the only temperature or brightness', () => {
    assert.equal(said(reading('Hall', 'temperature', 18.5)), '18.5 °C, Hall')
    assert.equal(said(reading('Hall', 'brightness', 120)), '120 lx, Hall')
  })

  it('says the lowest and the highest of several', () => {
    const temperatures = [18.5, 4, 21].map((value) => reading('Hall', 'temperature', value))
    assert.equal(said(...temperatures), '4 – 21 °C (3)')
    assert.equal(said(reading('Hall', 'brightness', 3), reading('Cellar', 'brightness', 3)), '3 lx (2)')
  })

  it('names the devices with warnings', () => {
    const calm = reading('Hall', 'warnings', [])
    assert.equal(said(calm, reading('Cellar', 'warnings', ['LOW_BATTERY'])), '1 with warnings: Cellar')
    assert.equal(said(calm), 'no warnings (1)')
  })

  it('says the number of devices of other readings', () => {
    const both = (label: string) => [reading(label, 'rssi', 'strong'), reading(label, 'bypassed', false)]
    assert.equal(said(...both('Hall'), ...both('Cellar')), 'devices: 2')
  })

  it('is the usual one without readings', () => {
    assert.equal(readingsStatus([]), undefined)
  })
})

describe('The status of keyholder-readings', () => {
  const harness = useFlowHarness()

  it('follows the doors of the selected devices, and says the same only once', async () => {
    const { home, flow } = await harness.start({
      nodes: {
        readings: { type, kinds: ['open'] },
        cellar: { type, kinds: ['open'], devices: [828_789] },
      },
    })
    const status = flow.status('readings')
    await status.next(({ text }) => text === 'all closed (5)')
    home.open(2)
    assert.equal((await status.next()).text, '1 open: Kitchen window')
    home.close(2)
    assert.equal((await status.next()).text, 'all closed (5)')
    const texts = flow.status('cellar').all.map(({ text }) => text)
    assert.deepEqual(
      texts,
      ['signing in', 'updating', 'devices: 1'].filter((text) => texts.includes(text)),
    )
  })
})
