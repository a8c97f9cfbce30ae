import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeWithHomeAssistant } from '../../harness/home-assistant/home-assistant.ts'
import { everyDevice, setupOf } from '../../harness/home-assistant/setups.ts'
import { announcements } from '../../src/home-assistant/discovery.ts'
import { announcedDetector } from '../../src/home-assistant/entities/detector.ts'
import { announcedPanel } from '../../src/home-assistant/entities/panel-entities.ts'
import type { Setup } from '../../src/home-assistant/setup.ts'

const script = fileURLToPath(new URL('../../harness/home-assistant/schema-check.py', import.meta.url))

/** Returns the announcements of all entities that there are, with the platforms of their topics. */
function everyAnnouncement(setup: Setup) {
  const identity = { title: 'House', model: 'Simulated 64', manufacturer: 'Keyholder' }
  const partitions = [
    { id: 1, name: 'House', night: 'NIGHT' as const },
    { id: 2, name: '', night: 'HOME' as const },
  ]
  const devices = everyDevice.flatMap((device) => announcedDetector(setup, device, [], identity) ?? [])
  const published = [announcedPanel(setup, identity, partitions), ...devices].flatMap((one) =>
    announcements(setup, one),
  )
  return published.map(({ topic, payload }) => ({
    platform: topic.split('/')[1],
    config: JSON.parse(payload),
  }))
}

describeWithHomeAssistant('The schemas of a real Home Assistant', (home) => {
  const faults = (announced: object[]): string[] =>
    JSON.parse(
      execFileSync(join(dirname(home.program), 'python'), [script], {
        input: JSON.stringify(announced),
        encoding: 'utf8',
      }),
    )

  const setups: Record<string, Setup> = {
    'with commands': setupOf({ form: 'single', instantNight: true, openZones: 'bypass' }),
    'with a code': setupOf({ form: 'single', code: 'remote' }),
    'without commands': setupOf({ form: 'single', allowsCommands: false }),
  }
  for (const [title, setup] of Object.entries(setups))
    it(`accept every announcement and know each of its keys, ${title}`, () => {
      const announced = everyAnnouncement(setup)
      assert.ok(announced.length > 200, `${announced.length}`)
      assert.deepEqual([...new Set(faults(announced))], [])
    })

  it('refuse what is wrong, and name a key that they do not know', () => {
    const config = { state_topic: 'a', unique_id: 'a', origin: { name: 'a' } }
    const wrong = [{ colour: 1 }, { device_class: 'x' }].map((more) => ({
      platform: 'sensor',
      config: { ...config, ...more },
    }))
    const [unknown, refused] = faults(wrong)
    assert.equal(unknown, 'sensor: colour is unknown')
    assert.match(refused ?? '', /^sensor: .*device_class/)
  })
})
