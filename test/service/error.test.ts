import assert from 'node:assert/strict'
import { asKeyholderError, KeyholderError, logDefectsTo } from '../../src/service/error.ts'

describe('An unexpected exception', () => {
  let logged: string[]

  beforeEach(() => {
    logged = []
    logDefectsTo((line) => logged.push(line))
  })

  afterEach(() => logDefectsTo(() => {}))

  const defect = () => new TypeError('secretOfAnotherLibrary is undefined')

  it('becomes an INTERNAL_ERROR that asks to report it with the log', () => {
    const { code, message } = asKeyholderError(defect())
    assert.equal(code, 'INTERNAL_ERROR')
    assert.match(
      message,
      /This is a bug in @keyholder\/node-red-alarm-panel\. Please set logging\.console\.level to 'debug'.* report it with the log at github\.com\/\S+\/issues\.$/,
    )
  })

  it('is logged with its stack, without its message, and with paths inside this package only', () => {
    asKeyholderError(defect())
    assert.equal(logged.length, 1)
    const [first, second] = logged.join().split('\n')
    assert.equal(first, 'Unexpected TypeError in the alarm panel nodes:')
    assert.match(second ?? '', /^ +at defect \(test\/service\/error\.test\.[jt]s:\d+:\d+\)$/)
    assert.doesNotMatch(logged.join(), /secretOfAnotherLibrary/)
  })

  it('is logged once, and stays the same error, however many callers convert it', () => {
    const thrown = defect()
    assert.equal(asKeyholderError(thrown), asKeyholderError(thrown))
    assert.equal(logged.length, 1)
  })

  it('has no stack to log when it is not an error', () => {
    for (const thrown of [undefined, null, 'a text', {}])
      assert.equal(asKeyholderError(thrown).code, 'INTERNAL_ERROR')
    assert.deepEqual(logged, [])
  })
})

describe('An error of this package', () => {
  it('is not converted', () => {
    const error = new KeyholderError('TIMEOUT', 'A sentence.')
    assert.equal(asKeyholderError(error), error)
  })
})
