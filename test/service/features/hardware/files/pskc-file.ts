/** The secret of the examples in RFC 6030: the ASCII digits 1234567890 twice. */
export const exampleSeed = '3132333435363738393031323334353637383930'
export const exampleSecret = 'MTIzNDU2Nzg5MDEyMzQ1Njc4OTA='

/** The pre-shared key of figure 6. */
export const exampleKey = '12345678901234567890123456789012'

interface Package {
  readonly serial?: string
  readonly algorithm?: string
  readonly format?: string
  readonly parameters?: string
  readonly secret?: string
  readonly interval?: string
}

export const plain = (value: string) => `<PlainValue>${value}</PlainValue>`

/** A value of the element `Data`. */
export const plainData = (name: string, value: number | string) => `<${name}>${plain(String(value))}</${name}>`

/** Figure 5 of RFC 6030, with the algorithm changed to TOTP unless another is given. */
export function keyPackage({
  serial = '<SerialNo>987654321</SerialNo>',
  algorithm = 'urn:ietf:params:xml:ns:keyprov:pskc:totp',
  format = '<ResponseFormat Length="8" Encoding="DECIMAL"/>',
  parameters = '',
  secret = plain(`${exampleSecret}\n                    `),
  interval = '<TimeInterval><PlainValue>30</PlainValue></TimeInterval>',
}: Package = {}): string {
  return `
    <KeyPackage>
        <DeviceInfo>
            <Manufacturer>Manufacturer</Manufacturer>
            ${serial}
        </DeviceInfo>
        <CryptoModuleInfo>
            <Id>CM_ID_001</Id>
        </CryptoModuleInfo>
        <Key Id="12345678" Algorithm="${algorithm}">
            <Issuer>Issuer</Issuer>
            <AlgorithmParameters>${parameters}
                ${format}
            </AlgorithmParameters>
            <Data>
                <Secret>
                    ${secret}
                </Secret>
                ${interval}
            </Data>
        </Key>
    </KeyPackage>`
}

export const container = (...parts: readonly string[]) => `<?xml version="1.0" encoding="UTF-8"?>
<KeyContainer Version="1.0"
    xmlns="urn:ietf:params:xml:ns:keyprov:pskc"
    xmlns:ds="http://www.w3.org/2000/09/xmldsig#"
    xmlns:xenc="http://www.w3.org/2001/04/xmlenc#">
${parts.join('')}
</KeyContainer>
`

const cipher = (element: string, algorithm: string, value: string) => `
<${element}>
    <xenc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#${algorithm}"/>
    <xenc:CipherData>
        <xenc:CipherValue>
            ${value}
        </xenc:CipherValue>
    </xenc:CipherData>
</${element}>`

/** The head of figure 6. */
export const encryption = ({
  mac = 'http://www.w3.org/2000/09/xmldsig#hmac-sha1',
  macKey = 'ESIzRFVmd4iZABEiM0RVZgKn6WjLaTC1sbeBMSvIhRejN9vJa2BOlSaMrR7I5wSX',
  algorithm = 'aes128-cbc',
}: { mac?: string; macKey?: string | undefined; algorithm?: string } = {}) => `
    <EncryptionKey><ds:KeyName>Pre-shared-key</ds:KeyName></EncryptionKey>
    <MACMethod Algorithm="${mac}">${macKey === '' ? '' : cipher('MACKey', algorithm, macKey)}</MACMethod>`

/** The secret of figure 6. */
export const encrypted = ({
  value = 'AAECAwQFBgcICQoLDA0OD+cIHItlB3Wra1DUpxVvOx2lef1VmNPCMl8jwZqIUqGv',
  mac = 'Su+NvtQfmvfJzF6bmQiJqoLRExc=',
  algorithm = 'aes128-cbc',
} = {}) => `${cipher('EncryptedValue', algorithm, value)}${mac === '' ? '' : `<ValueMAC>${mac}\n</ValueMAC>`}`

/** Figure 7, with the algorithm changed to TOTP: its password is "qwerty". */
export const passwordContainer = ({
  derivation = 'http://www.rsasecurity.com/rsalabs/pkcs/schemas/pkcs-5v2-0#pbkdf2',
  iterations = '1000',
  length = '16',
  prf = '<PRF/>',
} = {}) => `<?xml version="1.0" encoding="UTF-8"?>
<pskc:KeyContainer Version="1.0"
    xmlns:pskc="urn:ietf:params:xml:ns:keyprov:pskc"
    xmlns:xenc11="http://www.w3.org/2009/xmlenc11#"
    xmlns:pkcs5="http://www.rsasecurity.com/rsalabs/pkcs/schemas/pkcs-5v2-0#"
    xmlns:xenc="http://www.w3.org/2001/04/xmlenc#">
    <pskc:EncryptionKey>
        <xenc11:DerivedKey>
            <xenc11:KeyDerivationMethod Algorithm="${derivation}">
                <pkcs5:PBKDF2-params>
                    <Salt><Specified>Ej7/PEpyEpw=</Specified></Salt>
                    <IterationCount>${iterations}</IterationCount>
                    <KeyLength>${length}</KeyLength>
                    ${prf}
                </pkcs5:PBKDF2-params>
            </xenc11:KeyDerivationMethod>
            <xenc11:MasterKeyName>My Password 1</xenc11:MasterKeyName>
        </xenc11:DerivedKey>
    </pskc:EncryptionKey>
    <pskc:MACMethod Algorithm="http://www.w3.org/2000/09/xmldsig#hmac-sha1">
        ${cipher('pskc:MACKey', 'aes128-cbc', '2GTTnLwM3I4e5IO5FkufoOEiOhNj91fhKRQBtBJYluUDsPOLTfUvoU2dStyOwYZx')}
    </pskc:MACMethod>
    <pskc:KeyPackage>
        <pskc:DeviceInfo><pskc:SerialNo>987654321</pskc:SerialNo></pskc:DeviceInfo>
        <pskc:Key Id="123456" Algorithm="urn:ietf:params:xml:ns:keyprov:pskc:totp">
            <pskc:AlgorithmParameters><pskc:ResponseFormat Length="8" Encoding="DECIMAL"/></pskc:AlgorithmParameters>
            <pskc:Data>
                <pskc:Secret>
                    ${cipher('pskc:EncryptedValue', 'aes128-cbc', 'oTvo+S22nsmS2Z/RtcoF8Hfh+jzMe0RkiafpoDpnoZTjPYZu6V+A4aEn032yCr4f')}
                    <pskc:ValueMAC>LP6xMvjtypbfT9PdkJhBZ+D6O4w=</pskc:ValueMAC>
                </pskc:Secret>
            </pskc:Data>
        </pskc:Key>
    </pskc:KeyPackage>
</pskc:KeyContainer>`
