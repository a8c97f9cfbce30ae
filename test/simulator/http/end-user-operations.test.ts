import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { type ApiClient, signedIn } from '../../../harness/simulator/api-client.ts'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'

describe('further responses of the end-user service', () => {
  let simulator: Simulator
  let home: ApiClient
  let cottage: ApiClient

  before(async () => {
    simulator = await startSimulator({ clock: new FakeClock() })
    home = await signedIn(simulator, simulator.serials[0])
    cottage = await signedIn(simulator, simulator.serials[1])
  })

  after(async () => {
    assert.deepEqual(simulator.defects, [])
    await simulator.close()
  })

  it('list the location of every device', async () => {
    for (const caller of [home, cottage]) {
      const { body } = await caller.get('locations')
      assert.deepEqual(Object.keys(body[0]), ['hel_id', 'name', 'is_editable'])
      const names = body.map(({ name }: { name: string }) => name)
      assert.equal(new Set(names).size, names.length)
      for (const { traits } of (await caller.get('devices')).body) {
        if (traits.location) assert.ok(names.includes(traits.location.name), traits.location.name)
      }
    }
  })

  it('name the apps without a token', async () => {
    const { body } = await home.get('apptype')
    assert.deepEqual(Object.keys(body), ['apptype', 'android', 'ios'])
  })

  it('describe access only to panels of the account', async () => {
    const { body } = await home.get('panel_access_info?panel_web_name=012345&app_type=app')
    assert.equal(body.user.status, 'active')
    const { status } = await home.get('panel_access_info?panel_web_name=FFFFFF')
    assert.equal(status, 400)
  })

  it("have the service's reason phrase for a status that HTTP does not define", async () => {
    const stranger = await signedIn(simulator)
    const asking = { headers: { 'User-Token': stranger.userToken, 'Session-Token': 'gone' } }
    const response = await fetch(`${simulator.url}/rest_api/14.0/status`, asking)
    assert.equal(`${response.status} ${response.statusText}`, '440 Session token not found')
  })
})
