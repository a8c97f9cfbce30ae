import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'

const root = new URL('..', import.meta.url)

/** The layers of the product, the lowest first: a file imports from its own layer and from those below. */
const layers = [
  'src/service',
  'src/account',
  'src/panel',
  'src/messages',
  'src/home-assistant',
  'nodes',
] as const

/** The files that each source imports, as types too, now or later; paths from the root. */
const imports = new Map(
  ['src', 'nodes', 'bench', 'harness', 'test'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
      .map((file) => [file, importedBy(file)] as const),
  ),
)

function importedBy(file: string): string[] {
  const text = readFileSync(new URL(file, root), 'utf8')
  const relative = /(?:\bfrom |\bimport\()'(\.[^']+\.ts)'/g
  return [...text.matchAll(relative)].map(([, path = '']) => join(dirname(file), path))
}

/** The files that a source loads at once: not its types, and not what it imports later. */
function loadedBy(file: string): string[] {
  const text = readFileSync(new URL(file, root), 'utf8')
  const atOnce = /^(?:import|export) (?!type )[^']*?\bfrom '(\.[^']+\.ts)'/gm
  return [...text.matchAll(atOnce)].map(([, path = '']) => join(dirname(file), path))
}

/** Each file or folder with those that it imports. */
type Graph = ReadonlyMap<string, Iterable<string>>

/** A way along the imports back to its start, where there is one. */
function circleIn(graph: Graph): string[] | undefined {
  const done = new Set<string>()
  const visit = (one: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(one)) return [...way.slice(way.indexOf(one)), one]
    if (done.has(one)) return undefined
    done.add(one)
    for (const next of graph.get(one) ?? []) {
      const circle = visit(next, [...way, one])
      if (circle !== undefined) return circle
    }
    return undefined
  }
  for (const one of graph.keys()) {
    const circle = visit(one, [])
    if (circle !== undefined) return circle
  }
  return undefined
}

/**
 * The imports of files as imports between the folders and files that lie beside each other, at every depth: a folder
 * imports what any file below it does.
 */
function betweenNeighbors(files: Graph): Graph {
  const neighbors = new Map<string, Set<string>>()
  for (const [file, targets] of files)
    for (const target of targets) {
      const [own, other] = [file.split('/'), target.split('/')]
      const depth = own.findIndex((part, index) => part !== other[index]) + 1
      const [from, to] = [own, other].map((path) => path.slice(0, depth).join('/')) as [string, string]
      neighbors.set(from, (neighbors.get(from) ?? new Set()).add(to))
    }
  return neighbors
}

describe('The imports', () => {
  it('have no cycles, type imports included', () => {
    assert.equal(circleIn(imports), undefined)
  })

  it('have no cycles of folders, nor of a folder and a file beside it, at every depth', () => {
    const ofProduct = new Map([...imports].filter(([file]) => /^(src|nodes)\//.test(file)))
    assert.equal(circleIn(betweenNeighbors(ofProduct)), undefined)
  })

  it('would show a cycle of folders whose files have none', () => {
    const files = new Map([
      ['src/house/hall/door.ts', ['src/house/attic/roof/window.ts']],
      ['src/house/attic/floor.ts', ['src/house/hall/lamp.ts', 'src/garden.ts']],
    ])
    assert.equal(circleIn(files), undefined)
    assert.deepEqual(circleIn(betweenNeighbors(files)), [
      'src/house/hall',
      'src/house/attic',
      'src/house/hall',
    ])
  })

  it('go one way: from nodes down to Home Assistant, messages, panel, account, service', () => {
    const layerOf = (file: string) => layers.findIndex((layer) => file.startsWith(`${layer}/`))
    const upward = [...imports].flatMap(([file, targets]) =>
      targets
        .filter((target) => layerOf(file) >= 0 && layerOf(target) > layerOf(file))
        .map((target) => `${file} -> ${target}`),
    )
    assert.deepEqual(upward, [])
  })

  it('lead to the cluster from the nodes alone, and from the cluster down to panel, account and service', () => {
    const isOfCluster = (path: string) => path.startsWith('src/cluster/')
    const isWrong = (file: string, target: string) =>
      isOfCluster(file)
        ? /^(nodes|src\/(messages|home-assistant|simulator))\//.test(target)
        : file.startsWith('src/') && isOfCluster(target)
    const wrong = [...imports].flatMap(([file, targets]) =>
      targets.filter((target) => isWrong(file, target)).map((target) => `${file} -> ${target}`),
    )
    assert.deepEqual(wrong, [])
  })

  it('of the registrations lead to no client, panel or message before the first use', () => {
    const loaded = new Set(['nodes/keyholder.ts'])
    for (const file of loaded) for (const target of loadedBy(file)) loaded.add(target)
    assert.ok(loaded.has('nodes/binding/panel-binding.ts'))
    assert.deepEqual(
      [...loaded].filter((file) =>
        /^src\/(account|cluster|panel|messages|home-assistant|simulator)\//.test(file),
      ),
      [],
    )
  })

  it('of the simulator lead only to data of the service, so that a mistake in the client cannot hide the same mistake here', () => {
    const simulator = [...imports].filter(([file]) => file.startsWith('src/simulator/'))
    const foreign = simulator.flatMap(([, targets]) =>
      targets.filter((target) => /^(nodes|src\/(account|panel|messages|home-assistant))\//.test(target)),
    )
    assert.deepEqual(foreign, [])
  })

  it('never lead from other folders to the tests', () => {
    const foreign = [...imports]
      .filter(([file]) => !file.startsWith('test/'))
      .flatMap(([file, targets]) =>
        targets.filter((target) => target.startsWith('test/')).map((target) => `${file} -> ${target}`),
      )
    assert.deepEqual(foreign, [])
  })

  it('of the product never lead to the harness or the benchmarks', () => {
    const product = [...imports].filter(([file]) => /^(src|nodes)\//.test(file))
    const foreign = product.flatMap(([file, targets]) =>
      targets.filter((target) => /^(harness|bench)\//.test(target)).map((target) => `${file} -> ${target}`),
    )
    assert.deepEqual(foreign, [])
  })
})
