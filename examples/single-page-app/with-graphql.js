import { leadToChallenge } from 'second-factor/browser'

/** Opens the second step if an error asks for it. For Apollo Client: `onError(({ graphQLErrors }) => openSecondStep(graphQLErrors))`. */
export function openSecondStep(errors = []) {
  const error = errors.find(({ extensions }) => extensions?.code === 'MFA_REQUIRED')
  return error !== undefined && leadToChallenge(error.extensions.challenge)
}
