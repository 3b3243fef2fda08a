import '../styles/fonts.css';
import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/forced-colors.css';
import '../styles/touch.css';
import { createPinia } from 'pinia';
import { createApp } from 'vue';
import { installTexts } from '../text.ts';
import PartsPage from './PartsPage.vue';

const app = createApp(PartsPage);
installTexts(app);
app.use(createPinia()).mount('#app');
