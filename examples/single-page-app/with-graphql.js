/** Opens the second step if a GraphQL error asks for it. For Apollo Client: `onError(({ graphQLErrors }) => leadToChallenge(graphQLErrors))`. */
export function leadToChallenge(errors = []) {
  const challenge = errors.find(({ extensions }) => extensions?.code === 'MFA_REQUIRED')?.extensions.challenge
  if (challenge === undefined) return false
  const { pathname, search } = new URL(challenge, location.href)
  const address = new URL(pathname + search, location.origin)
  address.searchParams.set('returnTo', location.pathname + location.search + location.hash)
  location.assign(address)
  return true
}
