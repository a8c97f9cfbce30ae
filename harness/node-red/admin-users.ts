import assert from 'node:assert/strict'

/**
 * For settings.js: users, all with the password `sesame`. One may do everything, one only look, one change nothing but
 * panels.
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

/** One of those users, or nobody who signed in. */
export type AdminUser = 'admin' | 'reader' | 'panels' | undefined

/** The admin API of a Node-RED that has those users; each signs in when first needed. */
export class AdminUsers {
  readonly #url: Promise<string>
  readonly #tokens = new Map<string, string>()

  constructor(url: Promise<string>) {
    this.#url = url
  }

  /** Posts JSON to a path as one of the users. */
  async post(user: AdminUser, path: string, body: object, signal?: AbortSignal): Promise<Response> {
    const headers = { 'Content-Type': 'application/json', ...(await this.authorization(user)) }
    const init = { method: 'POST', headers, body: JSON.stringify(body), ...(signal && { signal }) }
    return fetch(new URL(path, await this.#url), init)
  }

  /** The header by which a user is known. */
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
