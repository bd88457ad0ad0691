/** People of several languages, as a directory has them. */
export const givenNames =
  'Alice Amir Ana Andrei Anna Aylin Ben Carla Chen Clara Daniel David Elena Emil Emma Fatima Felix Grace Hana Hugo Ida Ivan Jana João Jonas José Julia Karim Kenji Laila Lars Lea Leo Lucía Luis Mai Malik Maria Max Mei Mia Mila Mohamed Nadia Nina Noah Nora Olga Omar Paul Pia Priya Rafael Rosa Samir Sara Sofia Theo Tom Vera Yuki Yusuf Zoë عمر ليلى 花子 太郎'.split(
    ' ',
  )

export const familyNames =
  'Abbas Almeida Archer Bauer Becker Bianchi Brown Castro Chen Costa Dubois Evans Fischer Fontaine García Gomez Gupta Haddad Hansen Hernández Hoffmann Ito Ivanova Jensen Johnson Kaya Keller Khan Kim Kowalski Lambert Larsen Lee López Martin Meyer Moreau Müller Nguyen Nielsen Novak O’Brien Okafor Oliveira Park Patel Pereira Petrov Ricci Rossi Sánchez Sato Schmidt Schneider Silva Smith Suzuki Tanaka Taylor Torres Virtanen Wagner Weber Williams Wójcik Yılmaz Zhang حداد 佐藤'.split(
    ' ',
  )

export const devices = [
  'iPhone 15',
  'iPhone 13 mini',
  'Pixel 8',
  'Pixel 6a',
  'Galaxy S23',
  'Galaxy A54',
  'Chrome on Android',
  'Safari on iPhone',
  'Work phone',
  'iPad',
]
