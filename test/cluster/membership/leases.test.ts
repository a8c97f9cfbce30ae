import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { formatWishes, type Wish } from '../../../src/cluster/membership/assignment.ts'
import { Followers } from '../../../src/cluster/membership/followers.ts'
import { Leases } from '../../../src/cluster/membership/leases.ts'
import type { ClusterParts } from '../../../src/cluster/membership/membership.ts'

const turn = () => new Promise(setImmediate)

/** A server with leases, whose answer to the first claim of one of them comes when a test wants it. */
class LeaseServer {
  readonly tokens = new Map<string, string>()
  /** Lets the answer come. */
  answer = () => {}
  readonly #late: string
  readonly #isAnswered = new Promise<void>((resolve) => {
    this.answer = resolve
  })

  constructor(late: string) {
    this.#late = late
  }

  async run(
    _script: unknown,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown[]> {
    const isClaim = keys.includes('tokens')
    const pairs = isClaim ? args.slice(1) : args
    const names = pairs.filter((_, index) => index % 2 === 0).map(String)
    for (const [index, name] of names.entries()) {
      const value = pairs[2 * index + 1]
      if (isClaim && value === 1 && !this.tokens.has(name)) this.tokens.set(name, `${args[0]} ${index}`)
      if (!isClaim && this.tokens.get(name) === value) this.tokens.delete(name)
    }
    const told = names.map((name) => this.tokens.get(name) ?? '')
    if (isClaim && names.includes(this.#late)) await this.#isAnswered
    return isClaim ? ['ok', told] : []
  }
}

describe('The leases of an instance', () => {
  /** Creates the leases of session 1. */
  function create(server: LeaseServer): Leases {
    const scripts = { run: server.run.bind(server), tryRun: server.run.bind(server) }
    const membership = { session: 1, isValid: true, hurry: () => {}, names: new Map([['2', 'other']]) }
    const parts = { scripts, membership, clock: new FakeClock(), failure: () => undefined }
    return new Leases(parts as unknown as ClusterParts, new Followers(parts as unknown as ClusterParts))
  }

  it('take what goes with a lease of another instance if that leaves it free for two heartbeats', async () => {
    const server = new LeaseServer('none')
    server.tokens.set('panel', '2 0')
    const leases = create(server)
    const state = leases.lease('panel', 'state')
    state.want()
    const wish: Wish = { isHeld: true, rank: 0, settings: '' }
    leases.noteHeartbeat({ wishes: ['2', formatWishes(new Map([['panel', wish]]))], isRegular: true })
    await turn()
    assert.equal(state.isHeld, false)
    for (const isHeld of [false, true]) {
      leases.noteHeartbeat({ wishes: undefined, isRegular: true })
      await turn()
      assert.equal(state.isHeld, isHeld)
    }
  })

  it('give up what is being claimed with the lease that it goes with, so that the other instance gets both', async () => {
    const server = new LeaseServer('panel state')
    const leases = create(server)
    const state = leases.lease('panel', 'state')
    state.want()
    const wishes = (session: string, rank: number) => {
      const wish: Wish = { isHeld: false, rank, settings: '' }
      return [session, formatWishes(new Map([['panel', wish]]))]
    }
    leases.noteHeartbeat({ wishes: wishes('1', 0), isRegular: true })
    await turn()
    assert.deepEqual([...server.tokens.keys()], ['panel', 'panel state'])
    leases.noteHeartbeat({ wishes: [...wishes('1', 2), ...wishes('2', 0)], isRegular: true })
    server.answer()
    await turn()
    assert.equal(state.isHeld, false)
    assert.deepEqual([...server.tokens.keys()], [])
  })
})
