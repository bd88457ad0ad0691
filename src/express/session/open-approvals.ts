/** An approval of an action that this web session has asked for. */
export interface OpenApproval {
  /** The service's id. */
  readonly id: string
  /** 128 bits, base64url. */
  readonly nonce: string
  /** 128 bits of SHA-256 over the nonce, the action and the request it runs with. Nothing of those is stored. */
  readonly challenge: string
  readonly userKey: string
  /** The SHA-256 of the cookie of the browser that asked: others that share the web session see nothing of it. */
  readonly binding: string
  /** Unix time, seconds: after it, the approval is worth nothing. */
  readonly until: number
  /** How far the service's clock was ahead of ours when it was asked for, seconds; undefined where they agreed. */
  readonly serviceAhead?: number | undefined
  /** Its end was shown. A page that still waits for it must not ask again by itself, so it stays until the user does. */
  readonly ended?: true
}

/** How many approvals one web session can wait for. */
export const maxOpenApprovals = 5

/** Adds an approval as the newest one; the oldest ones make room. */
export function withApproval(
  approvals: readonly OpenApproval[] | undefined,
  added: OpenApproval,
  now: number,
): readonly OpenApproval[] {
  return [...(approvals ?? []).filter(({ until }) => until > now), added].slice(-maxOpenApprovals)
}

/** Removes an approval that is settled. */
export function withoutApproval(
  approvals: readonly OpenApproval[] | undefined,
  id: string,
): readonly OpenApproval[] | undefined {
  const rest = approvals?.filter((approval) => approval.id !== id)
  return rest?.length ? rest : undefined
}

/** The states of a web session that a save has to bring together. */
interface Copies {
  /** As this request has loaded it. */
  readonly loaded: readonly OpenApproval[] | undefined
  /** As this request changed that. */
  readonly changed: readonly OpenApproval[] | undefined
  /** As it is stored now: another tab may have asked for an approval meanwhile. */
  readonly stored: readonly OpenApproval[] | undefined
}

export function mergeApprovals({ loaded = [], changed = [], stored = [] }: Copies): MergedApprovals {
  if (loaded.length + changed.length + stored.length === 0) return undefined
  const has = (list: readonly OpenApproval[], { id }: OpenApproval) => list.some((each) => each.id === id)
  const remaining = stored
    .filter((each) => has(changed, each) || !has(loaded, each))
    .map((each) => changed.find(({ id }) => id === each.id) ?? each)
  const added = changed.filter((each) => !has(loaded, each) && !has(remaining, each))
  const merged = [...remaining, ...added].slice(-maxOpenApprovals)
  return merged.length > 0 ? merged : undefined
}

type MergedApprovals = readonly OpenApproval[] | undefined
