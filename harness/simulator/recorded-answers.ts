import { operations, queryable } from '../../src/service/operations.ts'
import type { JsonValue } from '../../src/service/schema.ts'
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts'
import { FakeClock } from '../clock/fake-clock.ts'
import { type ApiClient, installerAt, signedIn } from './api-client.ts'

/** Answers by operation, as the service sends them. */
export type Answers = Record<string, JsonValue>

/** Returns the answers to all read operations of both services of a simulator that has some history. */
export async function recordAnswers(): Promise<{ user: Answers; installer: Answers }> {
  const simulator = await startSimulator({ clock: new FakeClock(), scenario: 'day' })
  try {
    return { user: await answersTo(await signedIn(simulator)), installer: await installerAnswers(simulator) }
  } finally {
    await simulator.close()
  }
}

async function installerAnswers(simulator: Simulator): Promise<Answers> {
  const client = await installerAt(simulator)
  const { email, password } = simulator
  const { body } = await client.post('auth', { email, password, device_id: 'device', device_info: 'test' })
  const { user_token, ...session } = body
  return { ...(await answersTo(client)), session }
}

async function answersTo(client: ApiClient): Promise<Answers> {
  const answers: Answers = {}
  for (const name of Object.keys(queryable)) {
    const path = name === 'event_profiles' ? operations.eventProfiles.path.slice(1) : name
    const { status, body } = await client.get(path.replace('{locale}', 'en_US'))
    if (status === 200) answers[name] = body
  }
  return answers
}
