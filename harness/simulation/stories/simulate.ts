import type { Lived } from '../life.ts'
import { describeFailure, liveToItsEnd, shrinkFailingLife } from './failing-life.ts'
import { keepStory } from './kept-stories.ts'
import { type Request, type RequestedLife, readRequest } from './requested-lives.ts'

// `npm run simulate`: lives the lives of seeds, or a story, and tells the story of each in which something untrue was told.

/** The lives after which a line tells how far a run has come. */
const reportEvery = 100

process.exitCode = await main(process.argv.slice(2))

/** Returns the exit code of the program: 0 if all was true, 1 if something was not, 2 for wrong arguments. */
async function main(args: readonly string[]): Promise<number> {
  try {
    return (await simulate(readRequest(args))) === 0 ? 0 : 1
  } catch (error) {
    console.error((error as Error).message)
    return 2
  }
}

/** Lives what is asked for, and returns the number of lives that failed. */
async function simulate({ lives, seconds, isTwice, keptAs }: Request): Promise<number> {
  const begin = processorSeconds()
  const spent = () => processorSeconds() - begin
  let [lived, failed] = [0, 0]
  for (const one of lives) {
    if (spent() > seconds) break
    const first = await liveToItsEnd(one.life)
    lived += 1
    const difference = isTwice ? differenceBetween(first, await liveToItsEnd(one.life)) : null
    if (difference !== null) console.log(`\n${difference}\nRepeat it with: ${one.command} --twice\n`)
    const isUntrue = first.untrue.length > 0
    if (isUntrue) await tell(one, first, keptAs)
    if (isUntrue || difference !== null) failed += 1
    if (failed > 0 && keptAs !== undefined) break
    if (lived % reportEvery === 0) console.error(summaryOf(lived, failed, spent()))
  }
  console.log(summaryOf(lived, failed, spent()))
  return failed
}

/** Tells the story of a life that failed, and keeps it under a name. */
async function tell(
  { life, command, isStory }: RequestedLife,
  lived: Lived,
  name: string | undefined,
): Promise<void> {
  const failing = { life, lived }
  const shrunk = isStory ? failing : await shrinkFailingLife(failing, () => process.stderr.write('.'))
  console.log(`\n${describeFailure(shrunk, command)}\n`)
  if (name === undefined) return
  const path = keepStory(name, { title: name.replaceAll('-', ' '), life: shrunk.life })
  console.log(`The story is kept in ${path}. Write the sentence as its title that must be true.\n`)
}

/** Returns in what two records of a life differ, in words; null if they are equal. */
function differenceBetween({ record }: Lived, { record: again }: Lived): string | null {
  if (record.digest === again.digest) return null
  const difference = record.differenceFrom(again)
  return `Lived twice, and line ${difference?.line} differs:\n  ${difference?.mine}\n  ${difference?.others}`
}

function summaryOf(lived: number, failed: number, seconds: number): string {
  const anHour = Math.round((lived / seconds) * 3600)
  return `${lived} lives, ${failed} failed, ${seconds.toFixed(1)} processor seconds, ${anHour} lives an hour`
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
