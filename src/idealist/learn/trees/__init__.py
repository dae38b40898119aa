"""Inside LightGBM, XGBoost and CatBoost: their data sets from our features, our measures as their metrics and objectives."""
