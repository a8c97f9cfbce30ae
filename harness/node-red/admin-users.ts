import assert from 'node:assert/strict'

/**
 * JavaScript for settings.js that adds users with the password `sesame`: one with all permissions, one with read
 * access, one that can also change panels.
 */
export const adminUsersCode = `
const users = { admin: '*', reader: 'read', panels: ['read', 'keyholder-panel.write'] }
const known = async (username) => (users[username] ? { username, permissions: users[username] } : null)
module.exports.adminAuth = {
  type: 'credentials',
  users: known,
  authenticate: (username, password) => (password === 'sesame' ? known(username) : Promise.resolve(null)),
}
`

/** One of those users; undefined without sign-in. */
export type AdminUser = 'admin' | 'reader' | 'panels' | undefined

/** A client of the admin API for those users; each user signs in with the first request. */
export class AdminUsers {
  readonly #url: Promise<string>
  readonly #tokens = new Map<string, string>()

  constructor(url: Promise<string>) {
    this.#url = url
  }

  /** Posts JSON to a path as a user. */
  async post(user: AdminUser, path: string, body: object, signal?: AbortSignal): Promise<Response> {
    const headers = { 'Content-Type': 'application/json', ...(await this.authorization(user)) }
    const init = { method: 'POST', headers, body: JSON.stringify(body), ...(signal && { signal }) }
    return fetch(new URL(path, await this.#url), init)
  }

  /** Returns the headers that identify a user. */
  async authorization(user: AdminUser): Promise<Record<string, string>> {
    if (user === undefined) return {}
    const token = this.#tokens.get(user) ?? (await this.#signIn(user))
    this.#tokens.set(user, token)
    return { Authorization: `Bearer ${token}` }
  }

  async #signIn(username: string): Promise<string> {
    const form = {
      client_id: 'node-red-admin',
      grant_type: 'password',
      scope: '',
      username,
      password: 'sesame',
    }
    const answer = await this.post(undefined, 'auth/token', form)
    const { access_token } = (await answer.json()) as { access_token?: string }
    return access_token ?? assert.fail(`${username} may not sign in`)
  }
}
