import type { Catalogue, EventType } from '../service/catalogue.ts'
import { catalogueEnUs } from '../service/catalogue-en-us.ts'

/** The catalogue that is known without the service. */
export const bundled: Catalogue = new Map(catalogueEnUs.map((type) => [type.typeId, type]))

/** Made once for all who are given the same answer of the service, as the panels of an account are. */
const merged = new WeakMap<readonly EventType[], Catalogue>()

/** The service's rows over the bundled ones, of which it may lack some. */
export function overBundled(rows: readonly EventType[]): Catalogue {
  const known = merged.get(rows)
  if (known !== undefined) return known
  const catalogue = new Map([...bundled, ...rows.map((type) => [type.typeId, type] as const)])
  merged.set(rows, catalogue)
  return catalogue
}
