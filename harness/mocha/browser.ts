import { chromiumPath, NoChromium } from '../browser/chromium.ts'
import { type EditorHarness, startEditorHarness } from '../editor.ts'

let opened: Promise<EditorHarness> | undefined

/** Returns the harness of this test run. */
export function harness(): Promise<EditorHarness> {
  opened ??= startEditorHarness()
  return opened
}

/** Called by mocha before the tests: without a browser, ends the run with one sentence. */
export async function mochaGlobalSetup(): Promise<void> {
  try {
    await chromiumPath()
  } catch (error) {
    if (!(error instanceof NoChromium)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

/** Called by mocha after the tests. */
export async function mochaGlobalTeardown(): Promise<void> {
  await (await opened)?.close()
}
