import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type CursorState, contentOf, stateText } from '../../panel/events/cursor/cursor-format.ts'
import { parseJson } from '../../service/schema.ts'

/** A cursor is smaller than this, packed or not. */
const maxBytes = 16 * 1024 * 1024

interface StateLine {
  memory: { marks: number[]; sequences: number[] }
}

/**
 * Returns a state in a third of the bytes of its JSON: the hashes, which are like random numbers, in binary form, and
 * the sequences as differences, which are nearly all 1.
 */
export function packState(state: CursorState): Buffer {
  const line = JSON.parse(stateText(state)) as StateLine
  const { marks, sequences } = line.memory
  const steps = sequences.map((sequence, index) => sequence - (sequences[index - 1] ?? 0))
  const rest = Buffer.from(
    JSON.stringify({ ...line, memory: { ...line.memory, marks: [], sequences: steps } }),
  )
  const length = Buffer.alloc(4)
  length.writeUInt32LE(rest.length)
  const hashes = Buffer.from(Float64Array.from(marks).buffer)
  return deflateRawSync(Buffer.concat([length, rest, hashes]))
}

/** Returns a packed state; undefined if it is not one, or not valid. */
export function unpackState(packed: Buffer): CursorState | undefined {
  try {
    const content = inflateRawSync(packed, { maxOutputLength: maxBytes })
    const end = 4 + content.readUInt32LE(0)
    const line = parseJson(content.toString('utf8', 4, end)) as StateLine
    const hashes = new Float64Array(new Uint8Array(content.subarray(end)).buffer)
    let sequence = 0
    const sequences = line.memory.sequences.map((step) => {
      sequence += step
      return sequence
    })
    const whole = { ...line, memory: { ...line.memory, marks: [...hashes], sequences } }
    return contentOf(JSON.stringify(whole))?.state ?? undefined
  } catch {
    return undefined
  }
}
