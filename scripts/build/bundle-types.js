import { join } from 'node:path'
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor'

/**
 * Writes the public types into one file: what src/index.ts reaches, from the declarations of the compiler.
 *
 * @param {string} root the folder of the project
 */
export function writeTypes(root) {
  const declarations = join(root, 'dist/declarations')
  const entry = join(declarations, 'src/index.d.ts')
  const compilerOptions = { module: 'nodenext', lib: ['es2023'], types: [], skipLibCheck: true }
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: declarations,
      mainEntryPointFilePath: entry,
      compiler: { overrideTsconfig: { compilerOptions, files: [entry] } },
      dtsRollup: { enabled: true, untrimmedFilePath: join(root, 'dist/index.d.ts') },
    },
    packageJsonFullPath: join(root, 'package.json'),
  })
  const { succeeded } = Extractor.invoke(config, {
    messageCallback(message) {
      message.handled = message.logLevel !== 'error'
    },
  })
  if (!succeeded) throw new Error('The public types could not be written.')
}
