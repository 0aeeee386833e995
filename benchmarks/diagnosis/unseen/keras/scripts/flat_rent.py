"""Monthly rent of a flat from its numbers and its district (functional API, two inputs)."""
import numpy as np
import keras
from keras import layers, ops

SEED = 5
N = 2400
N_DISTRICTS = 12
keras.utils.set_random_seed(SEED)


def make_flats(n):
    rng = np.random.default_rng(SEED)
    area = rng.uniform(20, 140, n)
    rooms = np.clip(np.round(area / 28 + rng.normal(0, 0.5, n)), 1, 6)
    year = rng.integers(1900, 2024, n)
    district = rng.integers(0, N_DISTRICTS, n)
    level = rng.normal(0, 1, N_DISTRICTS)
    rent = (
        9.0 * area
        + 40 * rooms
        + 0.03 * (year - 1960) ** 2
        + level[district] * 3.0 * area
        + rng.normal(0, 40, n)
    )
    numbers = np.stack([area, rooms, year], axis=1).astype("float32")
    return numbers, district.astype("int32"), rent.astype("float32")


def build_model(train_numbers):
    numbers_in = keras.Input(shape=(3,), name="numbers")
    district_in = keras.Input(shape=(), dtype="int32", name="district")

    norm = layers.Normalization()
    norm.adapt(train_numbers)
    x = norm(numbers_in)

    d = layers.Embedding(N_DISTRICTS, 6)(district_in)
    h = layers.Concatenate()([x, d])
    h = layers.Dense(64, activation="relu")(h)
    h = layers.Dense(64, activation="relu")(h)
    out = layers.Dense(1, name="rent")(h)
    return keras.Model(inputs=[numbers_in, district_in], outputs=out)


def main():
    numbers, district, rent = make_flats(N)
    n_train, n_val = 1600, 300
    tr = slice(0, n_train)
    va = slice(n_train, n_train + n_val)
    te = slice(n_train + n_val, N)

    rent_mean = rent[tr].mean()
    rent_std = rent[tr].std()
    target = (rent - rent_mean) / rent_std

    model = build_model(numbers[tr])
    schedule = keras.optimizers.schedules.CosineDecay(5e-3, decay_steps=1250)
    model.compile(
        optimizer=keras.optimizers.Adam(schedule),
        loss="mse",
        metrics=["mae"],
    )
    model.fit(
        {"numbers": numbers[tr], "district": district[tr]},
        target[tr],
        validation_data=([numbers[va], district[va]], target[va]),
        epochs=25,
        batch_size=32,
        verbose=2,
    )

    guess = model.predict([numbers[te], district[te]], verbose=0)[:, 0]
    euros = guess * rent_std + rent_mean
    error = np.abs(euros - rent[te])
    r2 = 1 - np.sum((euros - rent[te]) ** 2) / np.sum((rent[te] - rent[te].mean()) ** 2)
    print(f"mean error {error.mean():.1f} EUR, worst {error.max():.0f} EUR")
    print(f"RESULT {r2:.4f}")


if __name__ == "__main__":
    main()
