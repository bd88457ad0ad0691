import type { Revoked } from '../base/revoked.ts'
import { noneRevoked } from '../base/revoked.ts'
import type { Database, Queryable } from '../database/schema/schema.ts'
import type { Secrets } from '../secrets/secrets.ts'

/** A feature's part in something that concerns other features, too. */
export interface Step<Of> {
  /** Its position in the one order of all features. */
  readonly place: number
  /** Runs in the transaction of what happens. @returns what ended, where requests may wait for it. */
  readonly run: (db: Queryable, subject: Of) => Promise<Revoked | void>
}

/** Users whose memberships end. */
export interface Leaving {
  readonly userIds: readonly string[]
  /** The domain; undefined for all. */
  readonly domainId: string | undefined
  /** Unix time, seconds. */
  readonly now: number
  readonly secrets: Secrets
}

/** A user who is deleted. */
export interface Deleted {
  readonly userId: string
}

/** Users whose e-mail address is another one from now on. */
export interface Readdressed {
  readonly userIds: readonly string[]
  /** Unix time, seconds. */
  readonly now: number
}

/** Data that a sweep removes or changes. Nothing depends on it: all of it reads as absent already. */
export interface Removal {
  /** Its position in the one order of all features. */
  readonly place: number
  /** Expired secrets: removed before keys are rotated, because they need not be resealed. */
  readonly beforeRotation?: true
  /** Removes some of them. @returns how many; fewer than `sweepStep` where none is left. */
  readonly removeSome: (db: Queryable, now: number) => Promise<number>
}

/** The parts of a feature that the engine runs. */
export interface Feature {
  readonly name: string
  /** The tables that it writes; others may read them. */
  readonly tables: readonly (keyof Database)[]
  /** Runs when memberships end, in one domain or in all. */
  readonly membershipEnds?: readonly Step<Leaving>[]
  /** Runs after that, for those who are left without any domain. */
  readonly lastMembershipEnds?: readonly Step<Leaving>[]
  /** Runs after that, for a user who is deleted. */
  readonly userEnds?: readonly Step<Deleted>[]
  readonly addressChanges?: readonly Step<Readdressed>[]
  readonly removals?: Readonly<Record<string, Removal>>
}

/** The steps of all features, in their order. */
export interface Features {
  readonly membershipEnds: readonly Step<Leaving>[]
  readonly lastMembershipEnds: readonly Step<Leaving>[]
  readonly userEnds: readonly Step<Deleted>[]
  readonly addressChanges: readonly Step<Readdressed>[]
  readonly removals: readonly Removal[]
}

export function joinFeatures(features: readonly Feature[]): Features {
  return {
    membershipEnds: inOrder(features.flatMap(({ membershipEnds = [] }) => membershipEnds)),
    lastMembershipEnds: inOrder(features.flatMap(({ lastMembershipEnds = [] }) => lastMembershipEnds)),
    userEnds: inOrder(features.flatMap(({ userEnds = [] }) => userEnds)),
    addressChanges: inOrder(features.flatMap(({ addressChanges = [] }) => addressChanges)),
    removals: inOrder(features.flatMap(({ removals = {} }) => Object.values(removals))),
  }
}

/** @throws {Error} where two claim the same place: their order would depend on that of the files. */
function inOrder<P extends { readonly place: number }>(steps: readonly P[]): readonly P[] {
  const sorted = steps.toSorted((first, second) => first.place - second.place)
  const twice = sorted.find(({ place }, index) => place === sorted[index + 1]?.place)
  if (twice) throw new Error(`Two features claim the place ${twice.place}.`)
  return sorted
}

/** Runs steps one after another. @returns all that ended. */
export async function runSteps<Of>(steps: readonly Step<Of>[], db: Queryable, subject: Of): Promise<Revoked> {
  let all = noneRevoked
  for (const { run } of steps) {
    const ended = (await run(db, subject)) ?? noneRevoked
    all = {
      tokens: [...all.tokens, ...ended.tokens],
      devices: [...all.devices, ...ended.devices],
      sessions: [...all.sessions, ...ended.sessions],
    }
  }
  return all
}
