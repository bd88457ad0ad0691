import type { Queryable } from '../database/schema/schema.ts'
import { recordOf, replaceSealed, sealedPage, sealedPlaces } from './sealed-values.ts'
import type { SealedPlace, SealedValue } from './sealed-values.ts'
import type { Secrets } from './secrets.ts'

/** Values per transaction: few enough that others hardly wait. */
const batch = 50

interface ResealOptions {
  readonly secrets: Secrets
  /** Whether a value is already sealed as it should be. */
  readonly isCurrent: (sealed: string) => boolean
  /** Overrides how the secrets check this. */
  readonly open?: Secrets['open']
  /** Called with the number of checked values. */
  readonly progress?: (checkedCount: number) => void
}

/**
 * Reseals all values with the key for writing, in independent steps: an interrupted run keeps what is done, and the next run
 * continues.
 *
 * @param inTransaction Runs a step.
 * @returns the number of resealed values.
 */
export async function resealAll(
  db: Queryable,
  options: ResealOptions,
  inTransaction: (step: (db: Queryable) => Promise<void>) => Promise<void>,
): Promise<number> {
  let resealed = 0
  let checkedCount = 0
  for (const place of sealedPlaces) {
    for (let after = ''; ;) {
      const page = await sealedPage(db, place, { after, limit: batch })
      const last = page.at(-1)
      if (!last) break
      const outdated = page.filter(({ sealed }) => !options.isCurrent(sealed))
      if (outdated.length > 0) await inTransaction((step) => resealPage(step, options, place, outdated))
      resealed += outdated.length
      checkedCount += page.length
      options.progress?.(checkedCount)
      after = last.id
    }
  }
  return resealed
}

async function resealPage(
  db: Queryable,
  { secrets, open }: ResealOptions,
  place: SealedPlace,
  values: readonly SealedValue[],
): Promise<void> {
  for (const value of values) {
    const sealedRecord = recordOf(place, value)
    const secret = open ? open(value.sealed, sealedRecord) : secrets.open(value.sealed, sealedRecord)
    const lookup = place.lookup && secrets.lookup(place.lookup.text(secret, value.userId))
    await replaceSealed(db, place, value, { sealed: secrets.seal(secret, sealedRecord), lookup })
  }
}
