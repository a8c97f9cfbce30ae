const createTheme = (name: string, brightness: 'light' | 'dark', primary: string, gradient: string[]) => ({
  name,
  brightness,
  colors: { primary, gradient },
})

/** The look of the provider's app (interface specification 2.3). */
export const customization = {
  id: 1,
  name: 'Keyholder',
  is_default: true,
  created: 1_700_000_000,
  changed: 1_700_000_000,
  data: {
    apptype: '',
    android: 'https://play.example/keyholder',
    ios: 'https://apps.example/keyholder',
    customization: {
      themes: [
        createTheme('day', 'light', '#1F6F8B', ['#1F6F8B', '#3A8FAD', '#99C4D3']),
        createTheme('night', 'dark', '#99C4D3', ['#0B2530', '#14404F', '#1F6F8B']),
      ],
    },
  },
}
