interface Account {
  readonly userId: string | null
  readonly email: string
}

/** Whether two administrators are accounts of one person. */
export const isSamePerson = (one: Account, other: Account): boolean =>
  one.email.toLowerCase() === other.email.toLowerCase() || (one.userId !== null && one.userId === other.userId)
