interface Named {
  readonly username: string
  readonly name: string
}

/** The owner of an account as devices show it. A user without a name has the username for one. */
export const shownUser = ({ username, name }: Named) => ({ username, ...(name !== username && { name }) })
