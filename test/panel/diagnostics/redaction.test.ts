import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { secretNumbers, secretsIn, secretTexts, withSecrets } from '../../../harness/fixtures/private-data.ts'
import { type Answers, recordAnswers } from '../../../harness/simulator/recorded-answers.ts'
import { redact } from '../../../src/panel/diagnostics/redaction.ts'
import type { JsonValue } from '../../../src/service/schema.ts'
import { Random } from '../../../src/simulator/random.ts'

const redacted = (value: JsonValue) => redact([value])[0]

describe('The redaction of answers', () => {
  let recorded: { user: Answers; installer: Answers }
  let all: JsonValue[]
  before(async () => {
    recorded = await recordAnswers()
    all = [...Object.values(recorded.user), ...Object.values(recorded.installer)]
  })

  it('knows fifty secrets', () => {
    assert.equal(new Set(secretTexts).size, 50)
  })

  it('lets no secret through, whatever answer it is planted in: in fields, names of fields and within texts', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(0.05, 0.5, 1), (seed, share) => {
        const planted = all.map((answer) => withSecrets(answer, new Random(seed), share))
        for (const secret of secretsIn(JSON.stringify(planted))) seen.add(secret)
        assert.deepEqual(secretsIn(JSON.stringify(redact(planted))), [])
      }),
      { numRuns: 30 },
    )
    assert.ok(seen.size >= 50, `only ${seen.size} were planted`)
  })

  it('lets no secret through in any known field, as a text, a number, a list or a name below it', () => {
    const names = new Set<string>()
    JSON.stringify(all, (name, member) => {
      names.add(name)
      return member
    })
    for (const secret of [...secretTexts, ...secretNumbers]) {
      const planted = [...names].map((name) => ({
        [name]: secret,
        deeper: { [name]: [secret, { [secret]: 1 }] },
      }))
      assert.deepEqual(secretsIn(JSON.stringify(redact(planted))), [])
    }
  })

  it('lets no secret through in any JSON', () => {
    const names = [...Object.keys(recorded.user), 'state', 'id', 'type', ...secretTexts]
    const json = fc
      .integer()
      .chain((seed) => anyJson(names).map((value) => withSecrets(value, new Random(seed), 0.5)))
    fc.assert(
      fc.property(json, (value) => {
        assert.deepEqual(secretsIn(JSON.stringify(redacted(value))), [])
      }),
    )
  })

  it('gives the same secret the same stand-in in every field, and another one another, so that references match', () => {
    const secret = fc.constantFrom<string | number>(...secretTexts, ...secretNumbers)
    fc.assert(
      fc.property(fc.array(fc.tuple(secret, fc.constantFrom('alias', 'serial', 'id', 'unknown'))), (list) => {
        const after = redact(list.map(([secret, field]) => ({ [field]: secret }))).map(
          (one) => Object.values(one as object)[0],
        )
        const standIns = new Map(list.map(([secret], at) => [String(secret), String(after[at])]))
        for (const [at, [secret]] of list.entries())
          assert.equal(String(after[at]), standIns.get(String(secret)))
        assert.equal(new Set(standIns.values()).size, standIns.size)
      }),
    )
  })

  it('gives a number and its digits as a text the same digits', () => {
    const [before, after] = redact([{ panel_serial: 7345128 }, { serial: '7345128' }]) as Record<
      string,
      unknown
    >[]
    assert.equal(String(before?.panel_serial), after?.serial)
  })

  it('keeps the order of numbers, because a greater id is a newer event', () => {
    const events = [{ event: 280125392 }, { event: 280125390 }, { event: 5_000_000_000 }]
    const ids = redact(events).map((event) => (event as { event: number }).event)
    assert.ok(ids[1] !== undefined && ids[0] !== undefined && ids[2] !== undefined)
    assert.ok(ids[1] < ids[0] && ids[0] < ids[2])
  })

  it('keeps words of the service, times, small numbers, true and false', () => {
    const device = {
      device_number: 7,
      device_type: 'ZONE',
      subtype: 'CONTACT_AUX',
      zone_type: 'DELAY_1',
      preenroll: false,
      warnings: [{ type: 'OPENED', severity: 'TROUBLE', in_memory: false }],
      partitions: [1, 2],
      traits: { meteo_info: { temperature: { date: '2026-11-17T03:15:00', value: -3.5 } }, parent: null },
    }
    assert.deepEqual(redacted(device), device)
    const event = {
      type_id: 1000,
      label: 'ARM',
      datetime: '2026-11-17 03:15:00',
      zone: 0,
      delivery: { queue: 2 },
    }
    assert.deepEqual(redacted(event), event)
    const zero = { timestamp: '0000-00-00 00:00:00', date: '2026-07-25T04:48:20+0100' }
    assert.deepEqual(redacted(zero), zero)
  })

  it('replaces a name even if it is a word of the service, and coordinates even in a field for numbers', () => {
    assert.deepEqual(redacted({ zone_name: 'SMOKE', alias: 'AWAY', value: 48.13 }), {
      zone_name: 'text-1',
      alias: 'text-2',
      value: 1_000_001,
    })
  })

  it('replaces numbers from a thousand on in a field for small numbers', () => {
    assert.deepEqual(redacted({ zone: 999, device_number: 1000 }), { zone: 999, device_number: 1_000_001 })
  })

  it('keeps the names of all fields that the simulator sends', () => {
    const lost = new Set<string>()
    JSON.stringify(all, (name, member) => {
      if (name !== '' && redacted({ [name]: true })?.[name as never] !== true) lost.add(name)
      return member
    })
    assert.deepEqual([...lost], [])
  })

  it('does not change the answers that it gets', () => {
    const before = structuredClone(all)
    redact(all)
    assert.deepEqual(all, before)
  })
})
