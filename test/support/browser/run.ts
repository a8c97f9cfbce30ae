import { chromiumPath, NoChromium } from './chromium.ts'
import { Showroom } from './showroom.ts'

let opened: Promise<Showroom> | undefined

/** The one showroom of this run of the tests. */
export function showroom(): Promise<Showroom> {
  opened ??= Showroom.open()
  return opened
}

/** Called by mocha before anything else: without a browser there is nothing to run, and one sentence says why. */
export async function mochaGlobalSetup(): Promise<void> {
  try {
    await chromiumPath()
  } catch (error) {
    if (!(error instanceof NoChromium)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

/** Called by mocha after everything else. */
export async function mochaGlobalTeardown(): Promise<void> {
  await (await opened)?.close()
}
