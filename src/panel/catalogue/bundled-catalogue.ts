import type { Catalogue, EventType } from '../../service/catalogue/catalogue.ts'
import { catalogueEnUs } from '../../service/catalogue/en-us.ts'

/** The catalogue that is available without the service. */
export const bundled: Catalogue = new Map(catalogueEnUs.map((type) => [type.typeId, type]))

/** Built once for each answer of the service, which the panels of an account share. */
const merged = new WeakMap<readonly EventType[], Catalogue>()

/** Returns the service's rows over the bundled ones, because the service may lack some. */
export function withDefaults(rows: readonly EventType[]): Catalogue {
  const known = merged.get(rows)
  if (known !== undefined) return known
  const catalogue = new Map([...bundled, ...rows.map((type) => [type.typeId, type] as const)])
  merged.set(rows, catalogue)
  return catalogue
}
