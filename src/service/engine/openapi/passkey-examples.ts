/** One registration and one use of a passkey, as a browser and a real key have made them. */

const challenge = 'q83vEjRWeJCrze8SNFZ4kA'
const rp = { id: 'app.example', origins: ['https://app.example'] }

const credentialId = '4A3nHRS7UieNecdFe-F8UXTuBH_5QcYTuNV-M8c-QUs'
const credential = { id: credentialId, rawId: credentialId, type: 'public-key' }
const descriptor = { id: credentialId, type: 'public-key', transports: ['internal', 'hybrid'] }

const timeout = 300_000

export const passkey = {
  id: '8a'.repeat(20),
  credentialId,
  rpId: rp.id,
  name: 'Chrome on Windows',
  syncable: true,
  synced: true,
  createdAt: 1795000000,
}

export const usedPasskey = { ...passkey, lastUsedAt: 1795086400 }

export const startedRegistration = { rp: { ...rp, name: 'Intranet' }, challenge, first: true }

export const creationOptions = {
  challenge: 'CzBVep_E6Q4zWH2ix-wRNluApcrvFDleg6jN8hc8YYY',
  rp: { id: rp.id, name: 'Intranet' },
  user: { id: 'Hx8fHx8fHx8fHx8fHx8fHx8fHx8', name: 'alice', displayName: 'Alice Example' },
  pubKeyCredParams: [
    { type: 'public-key', alg: -7 },
    { type: 'public-key', alg: -8 },
    { type: 'public-key', alg: -257 },
  ],
  timeout,
  attestation: 'none',
  excludeCredentials: [],
  authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
}

export const registeredPasskey = {
  challenge,
  first: true,
  name: passkey.name,
  response: {
    ...credential,
    response: {
      clientDataJSON:
        'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoiQ3pCVmVwX0U2UTR6V0gyaXgtd1JObHVBcGNydkZEbGVnNmpOOGhjOFlZWSIsIm9yaWdpbiI6Imh0dHBzOi8vYXBwLmV4YW1wbGUiLCJjcm9zc09yaWdpbiI6ZmFsc2V9',
      attestationObject:
        'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVikVtmCAS3hjt8Iz1fY2UtegalxmdPrFPI7fCt1xcdfVG1dAAAAAAAAAAAAAAAAAAAAAAAAAAAAIOAN5x0Uu1InjXnHRXvhfFF07gR_-UHGE7jVfjPHPkFLpQECAyYgASFYIJ3ItUYdEeJYwj3VGx1gsky6s5GqVEQbrfnYx4j7L5PAIlggiPbcvlVf4ve09FZMhMqW_r5KlxMoAG0Q9WpWuKYOhXU',
      transports: ['internal', 'hybrid'],
    },
  },
}

export const startedAuthentication = { rp, challenge, purpose: 'sign_in' }

export const requestOptions = {
  challenge: 'BzxxptsQRXqv5BlOg7jtIleMwfYrYJXK_zRpntMIPXI',
  rpId: rp.id,
  timeout,
  userVerification: 'preferred',
  allowCredentials: [descriptor],
}

export const passkeyAnswer = {
  ...credential,
  response: {
    clientDataJSON:
      'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiQnp4eHB0c1FSWHF2NUJsT2c3anRJbGVNd2ZZcllKWEtfelJwbnRNSVBYSSIsIm9yaWdpbiI6Imh0dHBzOi8vYXBwLmV4YW1wbGUiLCJjcm9zc09yaWdpbiI6ZmFsc2V9',
    authenticatorData: 'VtmCAS3hjt8Iz1fY2UtegalxmdPrFPI7fCt1xcdfVG0FAAAAAg',
    signature: 'MEUCIQBFQ0nkIvBSlxkerRPiHT21IOWr71IFXklkuC-yE_WToQIgBDpxh3TFcr2KJa2-sb_NXAJWrhHOz5-cP5JdDlK-r4k',
    userHandle: 'Hx8fHx8fHx8fHx8fHx8fHx8fHx8',
  },
}
