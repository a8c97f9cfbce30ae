// Makes dist/, the part of the package that Node-RED loads.
//
// One module is one file in src/ and nodes/. Node-RED would read 450 of them, on the SD card of a Raspberry Pi; in
// dist/ they are a few files, each of which is loaded when it is needed. The packages that we depend on stay outside, so
// that npm can update them and knows which of them is vulnerable.

import { existsSync } from 'node:fs'
import { chmod, cp, readdir, realpath, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rollup } from '@rollup/wasm-node'
import { joinPages } from './bundle-pages.js'
import { writeTypes } from './bundle-types.js'
import { smallText } from './small-text.js'

/** Without symbolic links, as the bundler names the modules. */
const root = await realpath(fileURLToPath(new URL('../..', import.meta.url)))

/** The behaviors of the nodes. A node that is gone may have left compiled files. */
const behaviors = (await readdir(join(root, 'nodes')))
  .filter((name) => existsSync(join(root, 'nodes', name, 'behavior.ts')))
  .map((name) => `nodes/${name}/behavior.js`)

/** That of the node that needs most, and that few use. */
const homeAssistant = 'nodes/home-assistant/behavior.js'

/**
 * The chunks: each has these modules, and what they import at once unless an earlier chunk has it.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const chunks = {
  // Loaded when Node-RED starts.
  registration: ['nodes/keyholder.js'],
  // Data of the service that the simulator has too.
  catalogue: ['en-us', 'device-types'].map((file) => `src/service/catalogue/${file}.js`),
  // When the first node is used: accounts, panels and all nodes.
  client: [
    'nodes/config/open-account.js',
    'nodes/config/demo.js',
    'nodes/shared/error-routing.js',
    'src/panel/panel.js',
    'src/panel/panel-settings.js',
    'src/panel/panel-stores.js',
    'src/panel/account-queries.js',
    ...behaviors.filter((file) => file !== homeAssistant),
  ],
  'home-assistant-behavior': [homeAssistant, 'nodes/home-assistant/unserved.js'],
  'cluster-client': ['nodes/config/open-cluster.js', 'nodes/config/cluster-outage.js'],
  simulator: ['src/simulator/simulator.js'],
  rehearsal: ['nodes/rehearsal/rehearsals.js'],
  // When a dialog is open.
  dialogs: ['account-check', 'panel-choices', 'panel-diagnostics'].map((file) => `nodes/admin/${file}.js`),
  'cluster-check': ['nodes/admin/cluster-check.js'],
  'demo-console': ['nodes/admin/demo-console.js'],
}

/** The files that are loaded by their path: by Node-RED, as a command, and by a program that uses the types. */
const entries = {
  keyholder: 'nodes/keyholder.js',
  'keyholder-simulator': 'src/simulator/cli.js',
  index: 'src/index.js',
}

/** Returns the chunk of each module, by their ids. */
function chunkOfModules(getModuleInfo) {
  const chunkOf = new Map()
  const add = (id, chunk) => {
    if (chunkOf.has(id)) return
    const { isExternal, importedIds } = getModuleInfo(id)
    if (isExternal) return
    chunkOf.set(id, chunk)
    for (const imported of importedIds) add(imported, chunk)
  }
  for (const [chunk, files] of Object.entries(chunks)) for (const file of files) add(join(root, file), chunk)
  return chunkOf
}

/**
 * Lets modules find their files: dist/ stands for nodes/ and src/, so `page/` beside `src/simulator/console/` is
 * `dist/simulator/console/page/`, and the folder above `nodes/` or `src/` is the one above dist/.
 */
const ownFiles = {
  name: 'own-files',
  resolveImportMeta(property, { moduleId }) {
    if (property !== 'url') return null
    const [, ...path] = relative(root, moduleId).split(/[\\/]/)
    return `new URL(${JSON.stringify(path.join('/'))}, import.meta.url).href`
  },
}

/** A warning of the bundler is a mistake: a cycle between chunks, or a file that is not there. */
function fail({ message }) {
  throw new Error(message)
}

/** Removes a file or folder of dist/. */
function remove(name) {
  return rm(join(root, 'dist', name), { recursive: true, force: true })
}

async function writeCode() {
  const bundle = await rollup({
    input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(root, file)])),
    external: (id) => !/^[./]|^[A-Z]:/i.test(id),
    plugins: [ownFiles, smallText],
    onwarn: fail,
  })
  let chunkOf
  await bundle.write({
    dir: join(root, 'dist'),
    chunkFileNames: '[name].js',
    hoistTransitiveImports: false,
    manualChunks(id, { getModuleInfo }) {
      chunkOf ??= chunkOfModules(getModuleInfo)
      return chunkOf.get(id)
    },
  })
  await bundle.close()
}

/** Copies what the simulator reads beside the code. */
async function copyFiles() {
  const page = 'simulator/console/page'
  await cp(join(root, 'src', page), join(root, 'dist', page), { recursive: true })
}

/** Makes dist/ of what the compiler has written: the modules, and the declarations in dist/declarations. */
export async function makeDist() {
  for (const name of await readdir(join(root, 'dist'))) if (name !== 'declarations') await remove(name)
  await Promise.all([writeCode(), joinPages(root), copyFiles()])
  writeTypes(root)
  await remove('declarations')
  await chmod(join(root, 'dist/keyholder-simulator.js'), 0o755)
}
