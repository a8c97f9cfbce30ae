import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const page = readFileSync(new URL('docs/architecture.md', root), 'utf8')
const [, diagram = ''] = /```mermaid\n([\s\S]*?)```/.exec(page) ?? []

/** The files of the diagram, each with the folder of its subgraph. */
const passed = diagram.split(/(?=subgraph )/).flatMap((part, index) => {
  const folder = index === 0 ? 'src' : (/\["([^"]+)"\]/.exec(part)?.[1] ?? 'nodes')
  return [...part.matchAll(/\["([^"]+\.ts)"\]/g)].map(([, file]) => `${folder}/${file}`)
})

describe('The page about the architecture', () => {
  it('shows a poll that passes existing files, each once and 25 at most', () => {
    assert.ok(passed.length > 20, String(passed))
    assert.ok(passed.length <= 25, String(passed.length))
    assert.equal(new Set(passed).size, passed.length)
    assert.deepEqual(
      passed.filter((file) => !existsSync(new URL(file, root))),
      [],
    )
  })

  it('names only files that exist', () => {
    const text = page.replace(/```[\s\S]*?```/g, '')
    const named = [...text.matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|md|json))`/g)].map(
      ([, path = '']) => path,
    )
    assert.ok(named.length > 20)
    const folders = [
      '',
      'src/',
      'src/panel/events/',
      'src/panel/commands/',
      'src/account/service-user/rate-limit/',
    ]
    assert.deepEqual(
      named.filter((path) => !folders.some((folder) => existsSync(new URL(folder + path, root)))),
      [],
    )
  })
})
