import assert from 'node:assert/strict'
import { drawLife } from '../../../harness/simulation/stories/drawn-life.ts'
import { readStory } from '../../../harness/simulation/stories/kept-stories.ts'
import { readRequest } from '../../../harness/simulation/stories/requested-lives.ts'

describe('The arguments of npm run simulate', () => {
  it('ask for the lives of seeds, each with the command that repeats it alone', () => {
    const { lives, seconds } = readRequest(['--seed', '7', '--count', '2'])
    assert.deepEqual(
      [...lives],
      [7, 8].map((seed) => ({
        life: drawLife('houses', seed),
        command: `npm run simulate -- --seed ${seed}`,
        isStory: false,
      })),
    )
    assert.equal(seconds, Number.POSITIVE_INFINITY)
  })

  it('name a kind of houses, in the command, too', () => {
    const [one] = readRequest(['--kind', 'large houses']).lives
    assert.equal(one?.command, "npm run simulate -- --seed 1 --kind 'large houses'")
    assert.deepEqual(one?.life, drawLife('large houses', 1))
  })

  it('ask for the lives of as many seeds as there is time for, or of so many', () => {
    const { lives, seconds } = readRequest(['--minutes', '2'])
    assert.equal(seconds, 120)
    let count = 0
    for (const _ of lives) if (++count === 20) break
    assert.equal(count, 20)
    assert.equal([...readRequest(['--minutes', '2', '--count', '3']).lives].length, 3)
  })

  it('ask for a story that is kept', () => {
    const path = 'test/stories/fire-right-after-a-disarm.json'
    const [one, ...others] = readRequest(['--story', path]).lives
    assert.deepEqual(one, {
      life: readStory(path).life,
      command: `npm run simulate -- --story ${path}`,
      isStory: true,
    })
    assert.deepEqual(others, [])
  })

  it('are refused in a sentence', () => {
    const refusals: readonly (readonly [args: string[], sentence: RegExp])[] = [
      [['--kind', 'castles'], /^Error: No houses are named "castles"\. There are: houses, /],
      [['--seed', 'one'], /^Error: --seed takes a whole number, not "one"\.$/],
      [['--keep', '../story'], /^Error: --keep takes a name of small letters, digits and hyphens/],
      [['--story', 'test/stories/none.json'], /^Error: test\/stories\/none\.json cannot be told: ENOENT/],
      [['--seeds', '3'], /Unknown option '--seeds'/],
    ]
    for (const [args, sentence] of refusals) assert.throws(() => readRequest(args), sentence)
  })
})
