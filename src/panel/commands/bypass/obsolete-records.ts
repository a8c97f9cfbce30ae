import { Documents } from '../../../documents.ts'
import { integer, list, parse, parseJson, record } from '../../../service/schema.ts'

/** The records of version 0.2.0 in Redis. */
export interface ObsoleteRecords {
  /** Removes the records. Returns the zones that they name; undefined if there are none. @throws KeyholderError */
  remove(): Promise<readonly number[] | undefined>
}

const recorded = record({ armings: list(record({ zones: list(integer) })) })

/** Returns the zones that a text with records names; none if it is damaged. */
function zonesIn(content: string): number[] {
  return (parse(recorded, parseJson(content))?.value.armings ?? []).flatMap(({ zones }) => zones)
}

/**
 * Removes what version 0.2.0 has recorded about the zones that it had bypassed to arm the panel: the panel itself ends such a
 * bypass with the disarm (makers' guides). Never rejects; what cannot be removed is left to the next start.
 * @param path the file of the panel
 * @param shared the records in Redis, in a cluster
 * @returns a sentence for the log; undefined if there is nothing
 */
export async function removeObsoleteRecords(
  path: string,
  shared?: ObsoleteRecords,
): Promise<string | undefined> {
  const found = [await removeFile(path), await shared?.remove().catch(() => undefined)]
  if (found.every((zones) => zones === undefined)) return undefined
  const zones = [...new Set(found.flatMap((one) => one ?? []))].sort((one, other) => one - other)
  const named =
    zones.length === 0
      ? 'no zone that could be read'
      : `${zones.length === 1 ? 'zone' : 'zones'} ${zones.join(', ')}`
  return `The notes of an earlier version about zones that it had bypassed to arm the panel were removed: they named ${named}. The panel ends such a bypass with the disarm after the arming. Look at the panel if a zone stays bypassed.`
}

async function removeFile(path: string): Promise<number[] | undefined> {
  const documents = new Documents((_path, _doing, thrown) => thrown as Error)
  try {
    const content = await documents.read(path).catch(() => '')
    if (content !== undefined) await documents.remove(path)
    return content === undefined ? undefined : zonesIn(content)
  } catch {
    return undefined
  }
}
