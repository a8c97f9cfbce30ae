import assert from 'node:assert/strict'
import { operations } from '../../src/service/operations.ts'

/** Interface specification 4; below the blank line, the operations that real services add. */
const table = `
  signIn            POST /auth                                          none
  panels            GET  /panels                                        user
  panelInfo         GET  /panel_info                                    user and session
  featureSet        GET  /feature_set                                   user and session
  devices           GET  /devices                                       user and session
  standardLog       GET  /standard_log                                  user, or both
  events            GET  /events                                        user, or both
  rriResults        GET  /rri_results                                   user, or both
  configurationList GET  /configuration_list                            user, or both
  eventProfiles     GET  /had/rules/event-profiles/{locale}             user

  version           GET  /rest_api/version                              none
  openPanel         POST /panel/login                                   user
  status            GET  /status                                        user and session
  alarms            GET  /alarms                                        user and session
  alerts            GET  /alerts                                        user and session
  troubles          GET  /troubles                                      user and session
  locations         GET  /locations                                     user and session
  users             GET  /users                                         user and session
  setState          POST /set_state                                     user and session
  setBypassZone     POST /set_bypass_zone                               user and session
  activateSiren     POST /activate_siren                                user and session
  disableSiren      POST /disable_siren                                 user and session
  processStatus     GET  /process_status?process_tokens={token}         user and session`

const rows = [...table.matchAll(/^ +(\w+) +(GET|POST) +(\S+) +(.+)$/gm)].map(([, ...row]) => row)

describe('The table of operations', () => {
  for (const [key, method, path, tokens] of rows) {
    // @spec 1, 4, 5.1, 5.3, 5.4, sign-in-path, which-panel
    it(`requests ${key} with ${method} ${path} and these tokens: ${tokens}`, () => {
      const found = Object.entries(operations).find(([name]) => name === key)?.[1]
      assert.deepEqual([found?.method, found?.path, found?.tokens], [method, path, tokens])
    })
  }

  it('gives each operation a unique name', () => {
    const names = Object.values(operations).map(({ name }) => name)
    assert.equal(new Set(names).size, names.length)
  })
})
