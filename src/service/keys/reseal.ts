import type { Queryable } from '../store/schema.ts'
import { recordOf, replaceSealed, sealedPage, sealedPlaces } from '../store/sealed-values.ts'
import type { SealedPlace, SealedValue } from '../store/sealed-values.ts'
import type { Secrets } from '../sealing/secrets.ts'

/** Values of one transaction: few enough that nobody waits for it. */
const batch = 50

interface Given {
  readonly secrets: Secrets
  /** Whether a value is as it should be already. */
  readonly isCurrent: (sealed: string) => boolean
  /** Other than by the secrets themselves. */
  readonly open?: Secrets['open']
  /** Told how many were looked at. */
  readonly progress?: (looked: number) => void
}

/**
 * Seals with the key for writing whatever is not, in steps that each stand alone: when it breaks off, what is done is
 * done, and the next time goes on with the rest.
 *
 * @param inTransaction How a step is run.
 * @returns how many values were sealed anew.
 */
export async function resealAll(
  db: Queryable,
  given: Given,
  inTransaction: (step: (db: Queryable) => Promise<void>) => Promise<void>,
): Promise<number> {
  let resealed = 0
  let looked = 0
  for (const place of sealedPlaces) {
    for (let after = ''; ;) {
      const page = await sealedPage(db, place, { after, limit: batch })
      const last = page.at(-1)
      if (!last) break
      const outdated = page.filter(({ sealed }) => !given.isCurrent(sealed))
      if (outdated.length > 0) await inTransaction((step) => resealPage(step, given, place, outdated))
      resealed += outdated.length
      looked += page.length
      given.progress?.(looked)
      after = last.id
    }
  }
  return resealed
}

async function resealPage(
  db: Queryable,
  { secrets, open }: Given,
  place: SealedPlace,
  values: readonly SealedValue[],
): Promise<void> {
  for (const value of values) {
    const of = recordOf(place, value)
    const secret = open ? open(value.sealed, of) : secrets.open(value.sealed, of)
    const lookup = place.lookup && secrets.lookup(place.lookup.text(secret, value.userId))
    await replaceSealed(db, place, value, { sealed: secrets.seal(secret, of), lookup })
  }
}
